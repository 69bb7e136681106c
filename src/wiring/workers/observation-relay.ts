import type { Clock } from '../../ports/clock.ts'
import type { UpstreamObservation } from '../../upstream/heads/shared-watch.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import type { ToWorker } from './worker-messages.ts'

type Needs = { clock: Clock; networks: NetworkSet; sendAll(message: ToWorker): void }

type Observed = Extract<ToWorker, { kind: 'observed' }>

export type ObservationRelay = {
  /** All upstreams as they were seen last, for a worker that knows none. */
  snapshot(): Observed[]
  stop(): void
}

/** Passes on what the watch over upstreams sees, through reloads too. */
export function openObservationRelay({ clock, networks, sendAll }: Needs): ObservationRelay {
  let unsent = new Map<string, Map<string, UpstreamObservation>>()
  let unsubscribes: (() => void)[] = []

  const send = () => {
    const all = unsent
    unsent = new Map()
    for (const [network, seen] of all) {
      sendAll({ kind: 'observed', network, seen: [...seen.values()] })
    }
  }

  // A poll and its head come one after the other; the workers are told of them together.
  const note = (network: string, seen: UpstreamObservation) => {
    if (unsent.size === 0) clock.after(0, send)
    const ofNetwork = unsent.get(network) ?? new Map<string, UpstreamObservation>()
    unsent.set(network, ofNetwork)
    const poll = seen.poll ?? ofNetwork.get(seen.name)?.poll ?? null
    ofNetwork.set(seen.name, { ...seen, poll })
  }

  const resubscribe = () => {
    for (const unsubscribe of unsubscribes) unsubscribe()
    unsubscribes = networks
      .list()
      .map(({ network, subscribeToObservations }) =>
        subscribeToObservations((seen) => note(network.id, seen)),
      )
  }
  resubscribe()
  const stopReloads = networks.subscribe(resubscribe)

  return {
    snapshot: () =>
      networks.list().map(({ network, observations }) => {
        return { kind: 'observed', network: network.id, seen: observations() }
      }),
    stop() {
      stopReloads()
      for (const unsubscribe of unsubscribes) unsubscribe()
    },
  }
}
