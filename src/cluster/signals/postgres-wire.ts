import { postgresServers } from '../../core/servers/postgres-servers.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Entropy } from '../../ports/entropy.ts'
import { openLinkedWire, type WireNeeds } from './linked-wire.ts'
import { openPostgresLink } from './postgres-link.ts'
import type { SignalWire, WireNotice } from './relayed-signals.ts'

type Needs = WireNeeds & { clock: Pick<Clock, 'every'>; entropy: Pick<Entropy, 'alphanumeric'> }

/** The server's own notifications. Of several servers only the primary accepts listeners. */
export function openPostgresWire(
  needs: Needs,
  url: string,
  hear: (text: string) => void,
  notice: WireNotice,
): SignalWire {
  const servers = postgresServers(url).map((server) => ({
    open: () => openPostgresLink(needs, server, hear),
    logText: (reason: string) => reason,
  }))
  return openLinkedWire(needs, servers, notice)
}
