import { numberToQuantity, quantityToNumber } from '../core/hex.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'

/** Makes `eth_blockNumber` of one app never go backwards, whichever node answered. */
export type MonotonicHeights = {
  /** The result, or the highest one that the app has seen where that is higher. */
  raise(appId: string, service: NetworkService, resultText: string): string
}

type Held = { height: number; atMs: number }

/** Nodes run this far ahead of the head that a second one confirmed; more is made up. */
const AHEAD_BLOCKS_MAX = 16

/** A chain that shows no progress for this long was started anew. */
const HELD_MS_MAX = 3_600_000
const HELD_MAX = 100_000

export function openMonotonicHeights(monotonicMs: () => number): MonotonicHeights {
  let held = new Map<string, Held>()
  return {
    raise(appId, service, resultText) {
      const said = quantityToNumber(resultText.slice(1, -1))
      if (said === null) return resultText
      const height = believable(service, said)
      const key = `${appId} ${service.network.id}`
      const nowMs = monotonicMs()
      const before = held.get(key)
      if (before && height < before.height && nowMs - before.atMs < HELD_MS_MAX) {
        return `"${numberToQuantity(before.height)}"`
      }
      if (held.size >= HELD_MAX) held = new Map()
      if (before?.height !== height) held.set(key, { height, atMs: nowMs })
      return height === said ? resultText : `"${numberToQuantity(height)}"`
    },
  }
}

/** One node cannot raise the head alone: a made-up height would hold for ever. */
function believable(service: NetworkService, said: number): number {
  const { head, upstreams } = service.pool.selection
  const witnesses = upstreams.filter((upstream) => upstream.head !== null)
  if (head === null || witnesses.length < 2) return said
  return said > head.number + AHEAD_BLOCKS_MAX ? head.number : said
}
