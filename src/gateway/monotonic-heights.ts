import { numberToQuantity, quantityToNumber } from '../core/hex.ts'
import type { World } from '../ports/world.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { publishChainNews, subscribeToChainNews } from '../upstream/answers/note-height-shown.ts'
import { isBelievable } from '../upstream/pool/selection.ts'

/** Makes `eth_blockNumber` never go backwards, whichever node or process answers. */
export type MonotonicHeights = ReturnType<typeof openMonotonicHeights>

type Reply = { kind: string; text?: string }

/** The highest block that any process shows; while it is being reported, with the report. */
type Floor = { height: number; atMs: number; report: Promise<void> | null }

/** A chain that shows no progress for this long was restarted. */
const FLOOR_MS_MAX = 3_600_000

export function openMonotonicHeights({ clock, signals }: World) {
  // By network, so no more than are served.
  const floors = new Map<string, Floor>()

  const isRecent = ({ atMs }: Floor) => clock.monotonicMs() - atMs < FLOOR_MS_MAX
  const floorOf = (service: NetworkService): Floor | null => {
    const floor = floors.get(service.network.id)
    return floor && isRecent(floor) && !isTakenBack(service, floor.height) ? floor : null
  }

  const stop = subscribeToChainNews(signals, (networkId, news) => {
    if (news.kind !== 'shown') return
    const known = floors.get(networkId)
    if (known && isRecent(known) && news.height <= known.height) return
    floors.set(networkId, { height: news.height, atMs: clock.monotonicMs(), report: null })
  })

  return {
    /**
     * Reports a new height to other processes before a caller is shown it, so that none of them
     * shows a lower one afterwards. Null where they know it.
     */
    share(service: NetworkService, { kind, text }: Reply): Promise<void> | null {
      if (kind !== 'result') return null
      const said = quantityToNumber(text?.slice(1, -1))
      if (said === null) return null
      const height = believable(service, said)
      const known = floorOf(service)
      if (known && height <= known.height) return known.report
      const floor: Floor = { height, atMs: clock.monotonicMs(), report: null }
      floor.report = publishChainNews(service, { kind: 'shown', height }).finally(() => {
        floor.report = null
      })
      floors.set(service.network.id, floor)
      return floor.report
    },

    /** The result, or the highest block that was shown where that is higher. */
    raise(service: NetworkService, resultText: string): string {
      const said = quantityToNumber(resultText.slice(1, -1))
      if (said === null) return resultText
      const height = Math.max(believable(service, said), floorOf(service)?.height ?? 0)
      return height === said ? resultText : `"${numberToQuantity(height)}"`
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
