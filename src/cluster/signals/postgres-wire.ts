import { postgresServers } from '../../core/servers/postgres-servers.ts'
import type { System } from '../../ports/world.ts'
import { openLinkedWire } from './linked-wire.ts'
import { openPostgresLink } from './postgres-link.ts'
import type { SignalWire, WireNotice } from './relayed-signals.ts'

/** The server's own notifications. Of several servers only the primary accepts listeners. */
export function openPostgresWire(
  system: System,
  url: string,
  hear: (text: string) => void,
  notice: WireNotice,
): SignalWire {
  const servers = postgresServers(url).map((server) => ({
    open: () => openPostgresLink(system, server, hear),
    logText: (reason: string) => reason,
  }))
  return openLinkedWire(system, servers, notice)
}
