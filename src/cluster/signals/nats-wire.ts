import { openBackoff } from '../../core/async/backoff.ts'
import { openWakeableSleep } from '../../core/async/wakeable-sleep.ts'
import { assert, Failure } from '../../core/errors.ts'
import type { NatsServer } from '../../core/parse-nats-servers.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { type NatsLink, openNatsLink, reasonOf } from './nats-link.ts'
import type { SignalWire, WireNotice } from './relayed-signals.ts'

type Needs = { clock: Pick<Clock, 'after' | 'monotonicMs'>; entropy: Pick<Entropy, 'fraction'> }

type Options = {
  servers: readonly NatsServer[]
  /** Processes of one cluster have it in common, and no other cluster on these servers has it. */
  cluster: string
  credentialsFile?: string | undefined
  caFile?: string | undefined
}

/** After the last of the servers could not be reached, before the first is tried again. */
const WAIT_MS = { minMs: 100, maxMs: 2000 }

/** A server that takes connections and drops them is not tried as if all were well. */
const STEADY_MS = 10_000

/** Servers may say as much as they like; the log has an end. */
const REASON_LENGTH_MAX = 200

/** Processes that lose a server together do not come back in the same moment. */
const JITTER = { from: 0.5, to: 1.5 }

/** A subject of NATS has parts with dots between them, and some characters with a meaning. */
const SUBJECT_PART = /^[A-Za-z0-9_-]{1,64}$/

/**
 * One subject on NATS servers, of which any will do. Connects for ever, and never keeps a text
 * for later: without a connection it is lost at once.
 */
export function openNatsWire(
  { clock, entropy }: Needs,
  options: Options,
  hear: (text: string) => void,
  notice: WireNotice,
): SignalWire {
  assert(options.servers.length > 0, 'there is a server to connect to')
  assert(SUBJECT_PART.test(options.cluster), 'the name of a cluster can stand in a subject')
  const { credentialsFile, caFile } = options
  const access = { subject: `headgate.${options.cluster}.signals`, credentialsFile, caFile }
  const waits = openWakeableSleep(clock)
  const backoff = openBackoff(WAIT_MS)
  let order = shuffled(options.servers, entropy)
  let link: NatsLink | null = null
  let isClosed = false

  /** Uses a connection until it ends; false when there was none to be had. */
  const useServer = async (server: NatsServer, reasons: string[]): Promise<boolean> => {
    const opened = await openNatsLink(server, access, hear).catch(reasonOf)
    if (typeof opened === 'string') {
      reasons.push(logText(server, opened))
      return false
    }
    link = opened
    if (isClosed) await opened.close()
    else notice.back()
    const sinceMs = clock.monotonicMs()
    const reason = await opened.ended
    link = null
    if (clock.monotonicMs() - sinceMs > STEADY_MS) backoff.reset()
    notice.away(logText(server, reason))
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

/** A server may repeat what it was sent, and our credentials are in it. */
function logText({ host, port, login }: NatsServer, reason: string): string {
  const secrets = Object.values<string>(login ?? {})
  const isRepeated = secrets.some(
    (secret) => reason.includes(secret) || reason.includes(JSON.stringify(secret).slice(1, -1)),
  )
  const said = isRepeated ? 'the server repeats our credentials' : reason
  return `${host}:${port}: ${said.slice(0, REASON_LENGTH_MAX)}`
}

function shuffled<T>(items: readonly T[], entropy: Needs['entropy']): T[] {
  return items
    .map((item) => ({ item, at: entropy.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
