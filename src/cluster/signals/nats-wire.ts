import { assert } from '../../core/errors.ts'
import type { NatsServer } from '../../core/servers/parse-nats-servers.ts'
import type { System } from '../../ports/world.ts'
import { openLinkedWire } from './linked-wire.ts'
import { openNatsLink } from './nats-link.ts'
import type { SignalWire, WireNotice } from './relayed-signals.ts'

type Options = {
  servers: readonly NatsServer[]
  /** Processes of one cluster have it in common, and no other cluster on these servers has it. */
  cluster: string
  credentialsFile?: string | undefined
  caFile?: string | undefined
}

/** Servers may say as much as they like; the log has an end. */
const REASON_LENGTH_MAX = 200

/** A subject of NATS has parts with dots between them, and some characters with a meaning. */
const SUBJECT_PART = /^[A-Za-z0-9_-]{1,64}$/

export function openNatsWire(
  system: System,
  options: Options,
  hear: (text: string) => void,
  notice: WireNotice,
): SignalWire {
  assert(options.servers.length > 0, 'there is a server to connect to')
  assert(SUBJECT_PART.test(options.cluster), 'the name of a cluster can stand in a subject')
  const { credentialsFile, caFile } = options
  const access = { subject: `headgate.${options.cluster}.signals`, credentialsFile, caFile }
  const servers = options.servers.map((server) => ({
    open: () => openNatsLink(server, access, hear),
    logText: (reason: string) => logText(server, reason),
  }))
  return openLinkedWire(system, servers, notice)
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
