import { assert } from '../core/errors.ts'
import { type NatsServer, parseNatsServers } from '../core/servers/parse-nats-servers.ts'

export type NatsSettings = {
  servers: readonly NatsServer[]
  credentialsFile: string | undefined
  caFile: string | undefined
}

/** Null where no servers are configured. */
export function natsSettings(
  servers: string | undefined,
  credentialsFile: string | undefined,
  caFile: string | undefined,
): NatsSettings | null {
  if (servers === undefined) return null
  const parsed = parseNatsServers(servers)
  assert(typeof parsed !== 'string', 'values have been checked')
  return { servers: parsed, credentialsFile, caFile }
}
