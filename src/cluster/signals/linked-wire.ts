import { openBackoff } from '../../core/async/backoff.ts'
import { openWakeableSleep } from '../../core/async/wakeable-sleep.ts'
import { errorText, Failure } from '../../core/errors.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { System } from '../../ports/world.ts'
import type { SignalWire, WireNotice } from './relayed-signals.ts'

/** One connection to one server; it ends once and is not opened again. */
export type Link = {
  /** Done when the server has the text; fails when the connection ends before. */
  send(text: string): Promise<unknown>
  /** The reason, once the connection is over. */
  ended: Promise<string>
  close(): Promise<void>
}

export type LinkServer = {
  open(): Promise<Link>
  /** A reason as it may be logged: without secrets, and with an end. */
  logText(reason: string): string
}

/** After the last of the servers could not be reached, before the first is tried again. */
const WAIT_MS = { minMs: 100, maxMs: 2000 }

/** A server that takes connections and drops them is not tried as if all were well. */
const STEADY_MS = 10_000

/** Processes that lose a server together do not come back in the same moment. */
const JITTER = { from: 0.5, to: 1.5 }

/**
 * A wire over one of the servers, of which any will do. Connects for ever, and never keeps a text
 * for later: without a connection it is lost at once.
 */
export function openLinkedWire(
  { clock, entropy }: System,
  servers: readonly LinkServer[],
  notice: WireNotice,
): SignalWire {
  const waits = openWakeableSleep(clock)
  const backoff = openBackoff(WAIT_MS)
  let order = shuffled(servers, entropy)
  let link: Link | null = null
  let isClosed = false

  /** Uses a connection until it ends; false when there was none to be had. */
  const useServer = async (server: LinkServer, reasons: string[]): Promise<boolean> => {
    const opened = await server.open().catch(reasonOf)
    if (typeof opened === 'string') {
      reasons.push(server.logText(opened))
      return false
    }
    link = opened
    if (isClosed) await opened.close()
    else notice.back()
    const sinceMs = clock.monotonicMs()
    const reason = await opened.ended
    link = null
    // Not waited for: to a server that is cut off this would take long.
    opened.close().catch(() => {})
    if (clock.monotonicMs() - sinceMs > STEADY_MS) backoff.reset()
    notice.away(server.logText(reason))
    // The others come first now.
    order = [...shuffled(order, entropy).filter((other) => other !== server), server]
    return true
  }

  const tryAll = async () => {
    const reasons: string[] = []
    for (const server of order) {
      if (isClosed || (await useServer(server, reasons))) return
    }
    notice.away(reasons.join('; '))
  }

  const run = async () => {
    while (!isClosed) {
      await tryAll()
      const { from, to } = JITTER
      await waits.pause(backoff.nextMs() * (from + (to - from) * entropy.fraction()))
    }
  }
  run()

  return {
    async send(text) {
      if (!link) throw new Failure('signals_unavailable', { reason: 'not connected' })
      await link.send(text)
    },
    async close() {
      isClosed = true
      waits.close()
      await link?.close()
    },
  }
}

/** The words of a failed attempt, which may be the server's. */
export function reasonOf(thrown: unknown): string {
  const reason = thrown instanceof Failure ? thrown.facts.reason : undefined
  return String(reason ?? errorText(thrown))
}

function shuffled<T>(items: readonly T[], entropy: Entropy): T[] {
  return items
    .map((item) => ({ item, at: entropy.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
