import type { Clock } from '../../ports/clock.ts'
import type { Wire } from './wire.ts'

/** Connections that nobody uses at the moment, kept by where they lead. */
export type IdleWires = {
  /** The one that was used last, so that the others may grow old. */
  take(place: string): Wire | undefined
  keep(place: string, wire: Wire, idleMs: number): void
  count(): number
  /** Ends all of them, and whatever is still given back. */
  close(): void
}

type Idle = { place: string; wire: Wire; untilMs: number }

/** Each holds a file handle and, behind TLS, some 20 KiB. */
const IDLE_MAX = 2000
const IDLE_PER_PLACE_MAX = 64

const SWEEP_MS = 1000

export function openIdleWires({ clock }: { clock: Clock }): IdleWires {
  const places = new Map<string, Idle[]>()
  // In the order in which they were given back, so the first is the one unused for longest.
  const all = new Set<Idle>()
  let closed = false

  const remove = (idle: Idle) => {
    if (!all.delete(idle)) return
    const stack = places.get(idle.place) ?? []
    stack.splice(stack.indexOf(idle), 1)
    if (stack.length === 0) places.delete(idle.place)
  }

  const drop = (idle: Idle) => {
    remove(idle)
    idle.wire.end()
  }

  const stopSweeping = clock.every(SWEEP_MS, () => {
    const nowMs = clock.monotonicMs()
    for (const idle of all) if (idle.untilMs <= nowMs) drop(idle)
  })

  return {
    take(place) {
      const nowMs = clock.monotonicMs()
      for (let idle = places.get(place)?.at(-1); idle; idle = places.get(place)?.at(-1)) {
        remove(idle)
        idle.wire.holder = null
        if (idle.untilMs > nowMs) return idle.wire
        idle.wire.end()
      }
      return undefined
    },
    keep(place, wire, idleMs) {
      const stack = places.get(place) ?? []
      if (closed || idleMs <= 0 || stack.length >= IDLE_PER_PLACE_MAX) return wire.end()
      const idle: Idle = { place, wire, untilMs: clock.monotonicMs() + idleMs }
      wire.holder = {
        // Nothing was asked, so whatever this is, the connection cannot be trusted.
        received() {
          remove(idle)
          wire.terminate()
        },
        drained() {},
        closed: () => remove(idle),
      }
      stack.push(idle)
      places.set(place, stack)
      all.add(idle)
      const [oldest] = all.size > IDLE_MAX ? all : []
      if (oldest) drop(oldest)
    },
    count: () => all.size,
    close() {
      closed = true
      stopSweeping()
      for (const idle of all) drop(idle)
    },
  }
}
