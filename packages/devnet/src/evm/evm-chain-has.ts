import type { Header } from '../../../../src/core/chain/block.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { Outbound } from '../../../../src/ports/outbound.ts'
import { posted } from './evm-control.ts'

/** Whether a block is a part of the chain; false for one that was replaced, or of another chain. */
export async function evmChainHas(
  needs: { clock: Clock; outbound: Outbound },
  url: string,
  { number, hash }: Pick<Header, 'number' | 'hash'>,
): Promise<boolean> {
  const params = [`0x${number.toString(16)}`, false]
  const call = { jsonrpc: '2.0', id: 1, method: 'eth_getBlockByNumber', params }
  const { result } = JSON.parse(await posted(needs, url, JSON.stringify(call)))
  return result?.hash === hash
}
