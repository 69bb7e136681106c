import { type FieldNode, Kind, type ValueNode } from 'graphql'
import type { Rejection } from '../../errors.ts'
import type { AddressPair, KeyTest, ListFilter } from './query-plan.ts'
import { refuseQuery } from './refuse-query.ts'

const TOPIC_POSITIONS_MAX = 4

/** The filter of one of Block's lists, null where it lets everything pass. The query is valid. */
export function readFilter(field: FieldNode): ListFilter | Rejection | null {
  const filter = field.arguments?.find(({ name }) => name.value === 'filter')?.value
  const addresses = member(filter, 'addresses')
  if (field.name.value !== 'logs') return readPairs(addresses)
  return readLogFilter(readKeys(addresses), listItems(member(filter, 'topics')), field)
}

function readLogFilter(
  addresses: KeyTest | null,
  positions: readonly ValueNode[],
  field: FieldNode,
): ListFilter | Rejection | null {
  if (positions.length > TOPIC_POSITIONS_MAX) {
    return refuseQuery(
      `the filter of logs has ${positions.length} topic positions; a log has` +
        ` at most ${TOPIC_POSITIONS_MAX}`,
      positions[TOPIC_POSITIONS_MAX] ?? field,
    )
  }
  if (!addresses && positions.length === 0) return null
  return { kind: 'logs', addresses, topics: positions.map(readKeys) }
}

function readPairs(addresses: ValueNode | undefined): ListFilter | null {
  const pairs = new Map<string, AddressPair>()
  for (const item of listItems(addresses)) {
    const pair = { from: readKeys(member(item, 'from')), to: readKeys(member(item, 'to')) }
    // One pair that lets everything pass makes the others pointless.
    if (!pair.from && !pair.to) return null
    pairs.set(pairText(pair), pair)
  }
  if (pairs.size === 0) return null
  const inOrder = [...pairs].sort(([one], [other]) => (one < other ? -1 : 1))
  return { kind: 'pairs', pairs: inOrder.map(([, pair]) => pair) }
}

/** Keys are sorted: their order means nothing, and equal filters are to look equal. */
function readKeys(value: ValueNode | undefined): KeyTest | null {
  if (value?.kind === Kind.VARIABLE) return { kind: 'variable', name: value.name.value }
  const keys = listItems(value).flatMap((item) =>
    item.kind === Kind.STRING ? item.value.toLowerCase() : [],
  )
  return keys.length === 0 ? null : { kind: 'keys', keys: [...new Set(keys)].sort() }
}

/** One value stands for a list of one. */
function listItems(value: ValueNode | undefined): readonly ValueNode[] {
  if (!value || value.kind === Kind.NULL) return []
  return value.kind === Kind.LIST ? value.values : [value]
}

function member(value: ValueNode | undefined, name: string): ValueNode | undefined {
  if (value?.kind !== Kind.OBJECT) return undefined
  return value.fields.find((field) => field.name.value === name)?.value
}

/** A filter as text that is equal for equal filters of one list, and for those only. */
export function filterText(filter: ListFilter): string {
  if (filter.kind === 'pairs') return filter.pairs.map(pairText).join()
  return `${keysText(filter.addresses)};${filter.topics.map(keysText).join()}`
}

function pairText({ from, to }: AddressPair): string {
  return `${keysText(from)}>${keysText(to)}`
}

function keysText(test: KeyTest | null): string {
  if (!test) return '*'
  return test.kind === 'variable' ? `$${test.name}` : test.keys.join('|')
}
