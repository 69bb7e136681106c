import type { Telemetry } from '../../ports/telemetry.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import { perNetwork } from '../networks/per-network.ts'
import type { MainLink } from './main-link.ts'

/**
 * Tells the main process, which keeps the log, what apps have sent here, for as long as this
 * process lives.
 */
export function forwardSent(telemetry: Telemetry, networks: NetworkSet, link: MainLink): void {
  perNetwork<() => void>(telemetry, networks, {
    kind: 'evm',
    failedEvent: 'sent_transactions_unavailable',
    open: ({ network, sent }) =>
      sent.subscribe((note) => link.send({ kind: 'sent', network: network.id, note })),
    close: async (unsubscribe) => unsubscribe(),
  })
}
