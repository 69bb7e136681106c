import { recordUsage } from '../../src/tables/usage/usage.ts'
import { databaseIn, openStore } from './open-store.ts'
import { type Cost, ownUs, serverCost } from './server-cost.ts'

/** Lines that one machine may have in half a second. */
const USAGE_ROWS = 2_000

/**
 * Batches as gateways write them twice a second, to lines that the ledger mostly has, and that
 * all of them have in common, as they serve the same teams.
 */
export async function usageCost(
  serverUrl: string,
  writers: number,
  batches: number,
): Promise<Cost> {
  const env = await databaseIn(serverUrl, `usage_${writers}`)
  await using store = await openStore(env)
  const rows = Array.from({ length: USAGE_ROWS }, (_, at) => ({
    teamId: `team_${String(at % 500).padStart(16, '0')}`,
    appId: `app_${String(at % 500).padStart(16, '0')}`,
    network: 'ETH_MAINNET',
    method: `eth_method${Math.floor(at / 500)}`,
    hourMs: 0,
    calls: 3,
    centiCu: 6000,
    bytes: 0,
  }))
  let sequence = 0
  const write = async (writer: string, count: number) => {
    for (let at = 0; at < count; at++) {
      await recordUsage(store.database, { writer, sequence: ++sequence, atMs: 1, rows })
    }
  }
  await write('first', 2)
  return await serverCost(env.HEADGATE_DATABASE, writers * batches * USAGE_ROWS, async () => {
    const before = ownUs()
    await Promise.all(Array.from({ length: writers }, (_, at) => write(`writer_${at}`, batches)))
    return ownUs() - before
  })
}
