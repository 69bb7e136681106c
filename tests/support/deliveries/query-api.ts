import type { ManagementApi } from '../../../src/http/api/management-api.ts'
import type { NetworkService } from '../../../src/upstream/answers/ask-network.ts'
import { managementApi } from '../../management-api.ts'
import { advanceUntil } from '../basics/test-clock.ts'
import { ALICE, type RawParts, rawBlock, rawLog } from '../blocks/raw-block.ts'
import { openNetworkOf } from '../nodes/block-network.ts'

export type QueryApi = Awaited<ReturnType<typeof queryApi>>

const USUAL_BLOCKS = [
  rawBlock([], 254),
  rawBlock([{ logs: [rawLog(1), rawLog(3, ALICE, '0x2a')] }], 255),
  rawBlock([], 256),
]

export const HASH_255 = USUAL_BLOCKS[1]?.ref.hash ?? ''

/** The management API over an EVM network with three blocks, and a Solana network beside it. */
export async function queryApi(
  blocks: readonly RawParts[] = USUAL_BLOCKS,
  overrides: Partial<ManagementApi> = {},
) {
  const network = await openNetworkOf(blocks)
  const solana = { network: { id: 'SOLANA_MAINNET', kind: 'solana' } } as NetworkService
  const api = await managementApi({
    services: () => [network.network, solana],
    ...overrides,
  })
  const send = (body: unknown) =>
    advanceUntil(network.clock, api.call('POST', '/api/test-query', { body }))
  return {
    api,
    network,
    send,
    ask: (graphql_query: unknown, more: Record<string, unknown> = {}) =>
      send({ network: 'ETH_MAINNET', graphql_query, ...more }),
    async close() {
      network.network.stop()
      await api.close()
    },
  }
}
