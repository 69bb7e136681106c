import { Failure } from '../core/errors.ts'
import type { Clock } from '../ports/clock.ts'

/** Lets few scans run at once on each network, so that they never crowd out other calls. */
export type ScanLanes = {
  /** Resolves when it is one's turn, with how to end it; throws when that takes too long. */
  enter(networkId: string): Promise<() => void>
}

type Lane = { running: number; waiting: Set<() => void> }

/** Beyond this, waiting would be hopeless. */
const WAITING_MAX = 64
const WAIT_MS_MAX = 20_000

export function openScanLanes(clock: Clock, scansMax: number): ScanLanes {
  const lanes = new Map<string, Lane>()

  /** Ends a turn, once, and hands it to whoever has waited longest. */
  const turn = (lane: Lane): (() => void) => {
    let over = false
    return () => {
      if (over) return
      over = true
      const [next] = lane.waiting
      if (next) next()
      else lane.running--
    }
  }

  return {
    async enter(networkId) {
      const lane = lanes.get(networkId) ?? { running: 0, waiting: new Set() }
      lanes.set(networkId, lane)
      if (lane.running < scansMax) {
        lane.running++
        return turn(lane)
      }
      if (lane.waiting.size >= WAITING_MAX) throw new Failure('upstream_unreachable')
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const stopTimer = clock.after(WAIT_MS_MAX, () => {
        lane.waiting.delete(proceed)
        reject(new Failure('upstream_timed_out'))
      })
      const proceed = () => {
        stopTimer()
        lane.waiting.delete(proceed)
        resolve(turn(lane))
      }
      lane.waiting.add(proceed)
      return promise
    },
  }
}
