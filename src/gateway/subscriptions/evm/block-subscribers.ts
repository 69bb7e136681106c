import type { RawObject } from '../../../core/chain/block.ts'
import { type BloomBits, isZeroBloom } from '../../../core/chain/logs-bloom.ts'
import { quirksOf } from '../../../core/chain/quirks.ts'
import { isBloom } from '../../../core/chain/raw-forms.ts'
import { Rejection } from '../../../core/errors.ts'
import type { LogKeys } from '../../../core/logs/log-filter.ts'
import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import { type LogText, logText } from '../../../core/subscriptions/log-text.ts'
import { bloomMayMatch, logMatches } from '../../../core/subscriptions/read-log-filter.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { type ChainFollower, followChain } from './chain-follower.ts'

/** The subscribers with equal filters. */
type FilterGroup = { filter: LogKeys; subscribers: Set<Subscriber> }

/** The chain is followed for so long after the last subscriber has left: most come back. */
const GRACE_MS = 30_000

/** Nobody follows the chain while there are no subscribers. */
export function openBlockSubscribers(world: World, service: NetworkService) {
  const all = new Set<Subscriber>()
  const heads = new Set<Subscriber>()
  const logs = openLogSubscribers()
  let follower: ChainFollower | null = null
  let cancelEnd = () => {}

  const end = () => {
    cancelEnd()
    follower?.stop()
    follower = null
  }
  const lose = (reason: string) => {
    end()
    for (const subscriber of [...all]) subscriber.lost(reason)
  }
  const follow = () =>
    followChain(world, service, {
      wantsLogs: (raw) => logs.size > 0 && logs.mayWant(bloomOf(service, raw), service.bloomBits),
      advanced(replaced, added, headText) {
        for (const { logs: removed } of replaced) {
          for (const log of (removed ?? []).toReversed()) logs.notify(log, true)
        }
        for (const subscriber of [...heads]) subscriber.notify(headText)
        return added.filter((log) => logs.notify(log, false))
      },
      lost: lose,
    })

  const add = (subscriber: Subscriber, enter: () => () => void): OpenSubscription | Rejection => {
    cancelEnd()
    follower ??= follow()
    if (!follower) {
      const words = `No ${service.network.id} node has told of a block yet; please try again.`
      return new Rejection('upstream_failed', words)
    }
    all.add(subscriber)
    const leave = enter()
    return {
      close() {
        leave()
        if (!all.delete(subscriber) || all.size > 0 || follower === null) return
        cancelEnd = world.clock.after(GRACE_MS, end)
      },
    }
  }

  return {
    addHeads: (subscriber: Subscriber) =>
      add(subscriber, () => {
        heads.add(subscriber)
        return () => void heads.delete(subscriber)
      }),
    addLogs: (filter: LogKeys, subscriber: Subscriber) =>
      add(subscriber, () => logs.add(filter, subscriber)),
    stop: lose,
  }
}

/** The block's bloom; null where it does not tell of all logs. */
function bloomOf({ network }: NetworkService, raw: RawObject): Uint8Array | null {
  const quirks = quirksOf(network.chainId)
  if (!isBloom(raw.logsBloom) || quirks.uncounted !== 'none') return null
  const bloom = Uint8Array.fromHex(raw.logsBloom.slice(2))
  return quirks.bloomMayBeZero && isZeroBloom(bloom) ? null : bloom
}

/**
 * A filter is found by its addresses, or else by its first topics, so that a log costs what it
 * meets and not what there is.
 */
function openLogSubscribers() {
  const groups = new Map<string, FilterGroup>()
  const byAddress = new Map<string, Set<FilterGroup>>()
  const byTopic = new Map<string, Set<FilterGroup>>()
  const anything = new Set<FilterGroup>()
  let size = 0

  const placesOf = ({ filter }: FilterGroup): [Map<string, Set<FilterGroup>>, readonly string[]] =>
    filter.addresses ? [byAddress, filter.addresses] : [byTopic, filter.topics[0] ?? []]

  const enter = (group: FilterGroup) => {
    const [index, keys] = placesOf(group)
    if (keys.length === 0) anything.add(group)
    for (const key of keys) index.set(key, (index.get(key) ?? new Set()).add(group))
  }

  const leave = (group: FilterGroup) => {
    const [index, keys] = placesOf(group)
    anything.delete(group)
    for (const key of keys) {
      const there = index.get(key)
      there?.delete(group)
      if (there?.size === 0) index.delete(key)
    }
  }

  return {
    get size() {
      return size
    },
    /** Returns how to remove it. */
    add(filter: LogKeys, subscriber: Subscriber) {
      const key = JSON.stringify([filter.addresses, filter.topics])
      const group = groups.get(key) ?? { filter, subscribers: new Set() }
      if (!groups.has(key)) enter(group)
      groups.set(key, group)
      group.subscribers.add(subscriber)
      size++
      return () => {
        if (!group.subscribers.delete(subscriber)) return
        size--
        if (group.subscribers.size > 0) return
        groups.delete(key)
        leave(group)
      }
    },
    /** False when nobody can want a log of a block with this bloom; null: it tells nothing. */
    mayWant(bloom: Uint8Array | null, known: BloomBits): boolean {
      if (bloom === null) return size > 0
      for (const { filter } of groups.values()) {
        if (bloomMayMatch(filter, bloom, known)) return true
      }
      return false
    },
    /** False when nobody wants it. */
    notify(log: LogText, removed: boolean): boolean {
      let text = ''
      const [first = ''] = log.topics
      for (const found of [byAddress.get(log.address), byTopic.get(first), anything]) {
        for (const { filter, subscribers } of found ?? []) {
          if (!logMatches(filter, log)) continue
          text ||= logText(log, removed)
          for (const subscriber of [...subscribers]) subscriber.notify(text)
        }
      }
      return text !== ''
    },
  }
}
