import type { Clock } from '../clock.ts'
import type { RequestHandler } from './fork/raw-chain.ts'

/** Well within the five minutes after which EDR forgets a subscription that nobody asks about. */
const RENEW_MS = 60_000

/**
 * Keeps subscriptions alive for as long as somebody listens. EDR counts them among its filters,
 * which end when they are not asked for; asking also has it forget what it told long ago.
 */
export function renewSubscriptions(
  clock: Clock,
  chain: RequestHandler,
  ids: () => readonly string[],
): void {
  const renew = async () => {
    for (const id of ids()) {
      const request = { jsonrpc: '2.0', id: 1, method: 'eth_getFilterChanges', params: [id] }
      // One that has ended meanwhile is an error, and no loss.
      await chain.handleRequest(JSON.stringify(request)).catch(() => {})
    }
  }
  clock.every(RENEW_MS, () => void renew())
}
