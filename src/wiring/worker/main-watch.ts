import type {
  ChainNews,
  SharedWatch,
  UpstreamObservation,
} from '../../upstream/heads/shared-watch.ts'
import type { MainLink } from './main-link.ts'

export type MainWatch = SharedWatch & {
  /** Forgets what was seen of upstreams: others may have their names from here on. */
  forget(): void
}

type Listeners<T> = Map<string, Set<(value: T) => void>>

export function openMainWatch(link: MainLink): MainWatch {
  const latest = new Map<string, Map<string, UpstreamObservation>>()
  const listeners: Listeners<UpstreamObservation> = new Map()
  const newsListeners: Listeners<ChainNews> = new Map()
  const tellings = new Map<number, () => void>()
  let lastId = 0

  const hearSeen = (network: string, seen: readonly UpstreamObservation[]) => {
    const known = latest.get(network) ?? new Map<string, UpstreamObservation>()
    latest.set(network, known)
    for (const one of seen) {
      known.set(one.name, one)
      for (const hear of listeners.get(network) ?? []) hear(one)
    }
  }

  link.subscribe((message) => {
    if (message.kind === 'observed') hearSeen(message.network, message.seen)
    if (message.kind === 'news') {
      for (const hear of newsListeners.get(message.network) ?? []) hear(message.news)
      link.send({ kind: 'heard', id: message.id })
    }
    if (message.kind === 'told') {
      tellings.get(message.id)?.()
      tellings.delete(message.id)
    }
  })

  return {
    subscribe(network, hear) {
      for (const seen of latest.get(network)?.values() ?? []) hear(seen)
      return added(listeners, network, hear)
    },
    subscribeToNews: (network, hear) => added(newsListeners, network, hear),
    pollNow: (network) => link.send({ kind: 'poll', network }),
    throttled: (network, upstream, forMs) =>
      link.send({ kind: 'throttled', network, upstream, forMs }),
    tell(network, news) {
      const told = Promise.withResolvers<void>()
      const id = ++lastId
      tellings.set(id, told.resolve)
      link.send({ kind: 'news', id, network, news })
      // Without the main process nobody is left to be told.
      return Promise.race([told.promise, link.closed])
    },
    forget: () => latest.clear(),
  }
}

function added<T>(listeners: Listeners<T>, network: string, hear: (value: T) => void): () => void {
  const ours = listeners.get(network) ?? new Set()
  listeners.set(network, ours.add(hear))
  return () => {
    ours.delete(hear)
    if (ours.size === 0 && listeners.get(network) === ours) listeners.delete(network)
  }
}
