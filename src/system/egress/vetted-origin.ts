import { isIP } from 'node:net'
import { parseIpAddress } from '../../core/delivery/ip-address.ts'
import type { Clock } from '../../ports/clock.ts'
import {
  type Connect,
  type ConnectFault,
  type Connection,
  type ConnectListener,
  portOf,
  type Target,
} from '../http1/connector.ts'
import type { Origin } from '../http1/exchange.ts'
import type { IdlePool } from '../http1/idle-pool.ts'
import type { ResponseHead } from '../http1/response-head.ts'
import type { VettedAddresses } from './vetted-addresses.ts'

export type EgressParts = {
  clock: Clock
  allowPrivate: boolean
  addresses: VettedAddresses
  pool: IdlePool
  connect: Connect
}

export type Destination = {
  url: URL
  /** The host without brackets. */
  host: string
  /** When the delivery's time is over. */
  endMs: number
  /** The address that was connected to last; null when none was. */
  address: string | null
  /** When the other side accepted and TLS began; null before, and without TLS. */
  acceptedMs: number | null
  /** When the connection was there, or none was to be had; null until then. */
  connectedMs: number | null
}

/** The most addresses of a name that are tried, for each takes its part of the time. */
const ADDRESSES_TRIED_MAX = 3

/** Node's servers close after 5 s, and they are the impatient ones. */
const IDLE_MS = 4000
const IDLE_MS_MAX = 60_000

/** The server begins to count before its last byte has come to us. */
const IDLE_MARGIN_MS = 1000
const KEEP_ALIVE_TIMEOUT = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,6})\b/i

/** The way to a destination at addresses that were vetted for this very delivery. */
export function vettedOrigin(
  parts: EgressParts,
  destination: Destination,
  vetted: readonly string[],
): Origin {
  const { clock, pool } = parts
  const { url } = destination
  return {
    takeIdle() {
      for (const address of vetted) {
        const connection = pool.take(originKey(url, address), clock.monotonicMs())
        if (!connection) continue
        destination.address = address
        return connection
      }
      return undefined
    },
    connect: (listener) => connectToAny(parts, destination, vetted, listener),
    release(connection, head) {
      const idleMs = idleMsOf(head)
      if (idleMs === 0) return connection.end()
      const key = originKey(url, destination.address ?? '')
      pool.keep(key, connection, clock.monotonicMs() + idleMs)
    },
  }
}

function connectToAny(
  { clock, addresses, connect }: EgressParts,
  destination: Destination,
  vetted: readonly string[],
  listener: ConnectListener,
): () => void {
  const { host, endMs } = destination
  const tried = vetted.slice(0, ADDRESSES_TRIED_MAX)
  let giveUp = () => {}
  let stopTimer = () => {}
  destination.connectedMs = null

  const tryNext = (at: number) => {
    const address = tried[at]
    destination.acceptedMs = null
    if (address === undefined) {
      addresses.expireSoon(host)
      return fail('connect')
    }
    const othersLeft = tried.length - at - 1
    // The last may take all that is left, and what it lacks then is time.
    if (othersLeft > 0) {
      stopTimer = clock.after((endMs - clock.monotonicMs()) / (othersLeft + 1), () => {
        giveUp()
        tryNext(at + 1)
      })
    }
    giveUp = connect(targetOf(destination, address), {
      accepted() {
        destination.acceptedMs = clock.monotonicMs()
      },
      opened(connection) {
        stopTimer()
        take(connection, address)
      },
      failed(fault) {
        stopTimer()
        if (fault === 'connect') tryNext(at + 1)
        else fail(fault)
      },
    })
  }

  const take = (connection: Connection, address: string) => {
    destination.address = address
    if (!isSameAddress(connection.remoteAddress, address)) {
      connection.terminate()
      return fail('refused_address')
    }
    addresses.prefer(host, address)
    destination.connectedMs = clock.monotonicMs()
    listener.opened(connection)
  }

  const fail = (fault: ConnectFault) => {
    destination.connectedMs = clock.monotonicMs()
    listener.failed(fault)
  }

  tryNext(0)
  return () => {
    stopTimer()
    giveUp()
  }
}

function targetOf({ url, host }: Destination, address: string): Target {
  const tls = url.protocol === 'https:'
  return { address, port: portOf(url), tls, serverName: tls && !isIP(host) ? host : null }
}

/** Connections are kept for a host at an address: when a name moves, none of them is used. */
function originKey(url: URL, address: string): string {
  return `${url.protocol}//${url.host} ${address}`
}

/** How long a connection may be idle before the other side closes it; 0 when it is over. */
function idleMsOf({ header }: ResponseHead): number {
  const seconds = KEEP_ALIVE_TIMEOUT.exec(header('keep-alive') ?? '')?.[1]
  if (seconds === undefined) return IDLE_MS
  return Math.min(IDLE_MS_MAX, Math.max(0, Number(seconds) * 1000 - IDLE_MARGIN_MS))
}

/** Compared by their bytes, for an IPv6 address can be written in many ways. */
function isSameAddress(remote: string | null, address: string): boolean {
  if (remote === null || remote === address) return true
  const [one, other] = [parseIpAddress(remote), parseIpAddress(address)]
  return one !== null && other !== null && Buffer.compare(one, other) === 0
}
