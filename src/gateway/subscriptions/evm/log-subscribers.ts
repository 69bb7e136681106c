import type { BloomBits } from '../../../core/chain/logs-bloom.ts'
import type { LogKeys } from '../../../core/logs/log-filter.ts'
import type { Subscriber } from '../../../core/rpc/subscription-source.ts'
import { type LogText, logText } from '../../../core/subscriptions/log-text.ts'
import { bloomMayMatch, logMatches } from '../../../core/subscriptions/read-log-filter.ts'

/** The subscribers of logs, those with equal filters together. */
export type LogSubscribers = {
  readonly size: number
  /** Returns how to remove it. */
  add(filter: LogKeys, subscriber: Subscriber): () => void
  /** False when nobody can want a log of a block with this bloom; null: it tells nothing. */
  mayWant(bloom: Uint8Array | null, known: BloomBits): boolean
  /** False when nobody wants it. */
  notify(log: LogText, removed: boolean): boolean
}

type FilterGroup = { filter: LogKeys; subscribers: Set<Subscriber> }

/**
 * A filter is found by its addresses, or else by its first topics, so that a log costs what it
 * meets and not what there is.
 */
export function openLogSubscribers(): LogSubscribers {
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
    add(filter, subscriber) {
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
    mayWant(bloom, known) {
      if (bloom === null) return size > 0
      for (const { filter } of groups.values()) {
        if (bloomMayMatch(filter, bloom, known)) return true
      }
      return false
    },
    notify(log, removed) {
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
