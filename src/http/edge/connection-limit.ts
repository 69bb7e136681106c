import type { Clock } from '../../ports/clock.ts'
import type { Descriptors } from '../../ports/descriptors.ts'
import type { Telemetry } from '../../ports/telemetry.ts'

type Needs = {
  clock: Pick<Clock, 'every'>
  telemetry: Pick<Telemetry, 'log' | 'gauge'>
  descriptors: Descriptors
  /** Configured; absent: by the limit of open files. */
  connectionsMax: number | undefined
  /** Refuses new connections from here on, and closes idle ones. Requests are answered. */
  close(): void
  /** Takes new connections again; false when that cannot be had yet. */
  open(): boolean
}

/** The other descriptors are for nodes, destinations and the store. */
const SHARE_FOR_CLIENTS = 0.8

/** Connections are accepted again below this share of the limit, lest it shuts at once again. */
const REOPEN_SHARE = 0.9

/** Set aside against a rush between two looks, by the limit of open files. */
const SET_ASIDE_SHARE = 1 / 16
const SET_ASIDE_MAX = 256

const LOOK_EVERY_MS = 100

/** While shut, each descriptor is counted, which takes milliseconds where they are thousands. */
const COUNT_EVERY_LOOKS = 5

/**
 * Stops accepting connections while the process is short of descriptors. The runtime accepts
 * whatever comes, and with none left its loop turns without end over a connection that it cannot
 * accept, while upstreams and store cannot open anything either. The returned function ends it.
 */
export function limitConnections(needs: Needs): () => void {
  const { descriptors, telemetry } = needs
  const limit = descriptors.max
  const openMax = needs.connectionsMax ?? (limit === null ? null : limit * SHARE_FOR_CLIENTS)
  // A system that can open none at the start does not count them as we do.
  if (openMax === null || !Number.isFinite(descriptors.lowestFree())) return () => {}

  const aside = limit === null ? 0 : Math.min(SET_ASIDE_MAX, Math.ceil(limit * SET_ASIDE_SHARE))
  let putBack = descriptors.setAside(aside)
  let isShut = false
  let looks = 0
  const forget = telemetry.gauge('headgate_accepting_connections', {}, () => (isShut ? 0 : 1))

  const shut = () => {
    isShut = true
    needs.close()
    putBack()
    telemetry.log('warn', 'connections_refused', { open_max: Math.floor(openMax) })
  }

  const reopen = () => {
    looks += 1
    if (looks % COUNT_EVERY_LOOKS !== 0) return
    if (descriptors.count() > openMax * REOPEN_SHARE || !needs.open()) return
    isShut = false
    putBack = descriptors.setAside(aside)
    telemetry.log('info', 'connections_accepted', {})
  }

  const stop = needs.clock.every(LOOK_EVERY_MS, () => {
    if (isShut) reopen()
    else if (descriptors.lowestFree() >= openMax) shut()
  })
  return () => {
    stop()
    forget()
    putBack()
  }
}
