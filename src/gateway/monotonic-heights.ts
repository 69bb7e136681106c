import { numberToQuantity, quantityToNumber } from '../core/hex.ts'
import type { World } from '../ports/world.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { publishChainNews, subscribeToChainNews } from '../upstream/answers/note-height-shown.ts'
import { isBelievable } from '../upstream/pool/selection.ts'

/** Makes `eth_blockNumber` of one app never go backwards, whichever node answered. */
export type MonotonicHeights = {
  /** The result, or the highest one that the app has seen where that is higher. */
  raise(appId: string, service: NetworkService, resultText: string): string
  /**
   * Reports a new height to other processes before a caller is shown it, so that none of them
   * shows a lower one afterwards. Null where they know it, and for other methods.
   */
  share(service: NetworkService, method: string, reply: Reply): Promise<void> | null
  stop(): void
}

type Reply = { kind: string; text?: string }

type Held = { height: number; atMs: number }

/** The highest block that any process shows; while it is being reported, with the report. */
type Floor = Held & { report: Promise<void> | null }

/** A chain that shows no progress for this long was started anew. */
const HELD_MS_MAX = 3_600_000
const HELD_MAX = 100_000

export function openMonotonicHeights({ clock, signals }: World): MonotonicHeights {
  const { monotonicMs } = clock
  let held = new Map<string, Held>()
  // By network, so no more than are served.
  const floors = new Map<string, Floor>()

  const floorOf = (networkId: string): Floor | null => {
    const floor = floors.get(networkId)
    return floor && monotonicMs() - floor.atMs < HELD_MS_MAX ? floor : null
  }

  const stop = subscribeToChainNews(signals, (networkId, news) => {
    if (news.kind !== 'shown') return
    const known = floorOf(networkId)
    if (known && news.height <= known.height) return
    floors.set(networkId, { height: news.height, atMs: monotonicMs(), report: null })
  })

  return {
    raise(appId, service, resultText) {
      const said = quantityToNumber(resultText.slice(1, -1))
      if (said === null) return resultText
      const { id } = service.network
      const floor = floorOf(id)?.height ?? 0
      if (floor > 0 && isTakenBack(service, floor)) floors.delete(id)
      const height = Math.max(believable(service, said), floorOf(id)?.height ?? 0)
      const key = `${appId} ${id}`
      const nowMs = monotonicMs()
      const before = held.get(key)
      const isHeld = before && height < before.height && nowMs - before.atMs < HELD_MS_MAX
      if (isHeld && !isTakenBack(service, before.height)) {
        return `"${numberToQuantity(before.height)}"`
      }
      if (held.size >= HELD_MAX) held = new Map()
      if (before?.height !== height) held.set(key, { height, atMs: nowMs })
      return height === said ? resultText : `"${numberToQuantity(height)}"`
    },

    share(service, method, { kind, text }) {
      if (method !== 'eth_blockNumber' || kind !== 'result') return null
      const said = quantityToNumber(text?.slice(1, -1))
      if (said === null) return null
      const height = believable(service, said)
      const { id } = service.network
      const known = floorOf(id)
      if (known && height <= known.height) return known.report
      const floor: Floor = { height, atMs: monotonicMs(), report: null }
      floor.report = publishChainNews(service, { kind: 'shown', height }).finally(() => {
        floor.report = null
      })
      floors.set(id, floor)
      return floor.report
    },

    stop,
  }
}

/** The chain of local development goes back on command: none of its nodes is as high any more. */
function isTakenBack({ network, pool: { selection } }: NetworkService, height: number): boolean {
  if (!network.isLocal) return false
  return selection.upstreams.every(({ head }) => head !== null && head.number < height)
}

/** One node cannot raise the head alone: a made-up height would hold for long. */
function believable({ pool: { selection } }: NetworkService, said: number): number {
  return selection.head === null || isBelievable(selection, said) ? said : selection.head.number
}
