import type { Network } from '../core/network.ts'
import type { World } from '../ports/world.ts'

/** The heights of a follower and its network; null while they are unknown. */
type Standing = {
  tip(): number | null
  head(): number | null
  /** False while another process follows the network. */
  isOurs(): boolean
}

export type ProgressWatch = ReturnType<typeof openProgressWatch>

const LOOK_EVERY_MS = 1000

/** A block may be late or take long to read; beyond this it is not only that. */
const BEHIND_MS_MIN = 10_000
const BEHIND_BLOCKS = 5

/**
 * Sees to it that a follower that stands still is noticed: in the probe, the metrics and the
 * log. It checks by itself, since a follower that hangs would not.
 */
export function openProgressWatch(
  { clock, telemetry }: World,
  network: Pick<Network, 'id' | 'blockTimeMs'>,
  { tip, head, isOurs }: Standing,
) {
  const labels = { network: network.id }
  const behindMsMax = Math.max(BEHIND_MS_MIN, network.blockTimeMs * BEHIND_BLOCKS)
  let goal: { number: number; sinceMs: number } | null = null
  let wasBehind = false

  const behindMs = () => (goal && !isReached() ? clock.monotonicMs() - goal.sinceMs : 0)
  const isBehind = () => behindMs() > behindMsMax
  // A head that was taken back need not be reached.
  const isReached = () => (tip() ?? -1) >= Math.min(goal?.number ?? 0, head() ?? 0)

  const look = () => {
    const number = head()
    if (number === null || !isOurs()) goal = null
    else if (goal === null || isReached()) goal = { number, sinceMs: clock.monotonicMs() }
    tellIfChanged(isBehind(), number)
  }
  const tellIfChanged = (isNow: boolean, number: number | null) => {
    if (isNow === wasBehind) return
    wasBehind = isNow
    const event = isNow ? 'follower_behind' : 'follower_caught_up'
    telemetry.log(isNow ? 'warn' : 'info', event, { ...labels, number: tip(), head: number })
  }

  const stopLooking = clock.every(LOOK_EVERY_MS, look)
  const forget = telemetry.gauge(
    'headgate_follower_behind_seconds',
    labels,
    () => behindMs() / 1000,
  )
  return {
    /** The follower has not reached a head that its network had several block times ago. */
    isBehind,
    stop() {
      stopLooking()
      forget()
    },
  }
}
