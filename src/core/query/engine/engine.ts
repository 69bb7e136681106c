import type { Block, BlockWants } from '../../chain/block.ts'
import type { FilterEntry } from '../index/list-index.ts'
import { forgetFound } from '../index/predicate-index.ts'
import type { Item } from '../items/item-filter.ts'
import { smallSetItems } from '../keys/small-set.ts'
import type { VariableRegistry } from '../keys/variable-registry.ts'
import type { QueryPlan } from '../language/query-plan.ts'
import {
  type BlockEvaluation,
  closeEvaluation,
  openEvaluation,
} from '../output/block-evaluation.ts'
import type { QueryResult } from '../output/query-result.ts'
import { RESULT_BYTES_MAX, writeEmptyResult, writeResult } from '../output/write-result.ts'
import type { QueryClass, QueryGroup, RegisteredQuery } from './query-class.ts'
import { openQueryRegistry, putQuery, type QueryRegistry, removeQuery } from './query-registry.ts'

export type StandingQuery = {
  id: string
  teamId: string
  plan: QueryPlan
  skipEmpty: boolean
}

export type SharedResult = { result: QueryResult; ids: readonly string[] }

export type Engine = ReturnType<typeof openEngine>

const NOBODY: ReadonlySet<string> = new Set()
const NO_ITEMS: readonly Item[] = []

export function openEngine(variables: VariableRegistry, resultBytesMax: number = RESULT_BYTES_MAX) {
  const registry = openQueryRegistry(variables)
  let runNumber = 0

  /** Cost: the block's size, what is found in it, and the results that are due. */
  function answer(
    evaluation: BlockEvaluation,
    found: readonly FilterEntry<QueryClass>[],
    alsoNotify: ReadonlySet<string>,
  ): SharedResult[] {
    runNumber++
    const dues: SharedResult[] = []
    const answered = new Map<QueryGroup, RegisteredQuery[]>()
    for (const { users } of found) {
      for (const queryClass of smallSetItems(users)) {
        if (queryClass.foundIn === runNumber) continue
        queryClass.foundIn = runNumber
        const queries = [...smallSetItems(queryClass.queries)]
        dues.push({ result: resultOf(evaluation, queryClass), ids: queries.map(({ id }) => id) })
        noteAnswered(answered, queryClass.group, queries)
      }
    }
    for (const [group, ids] of emptyResultIds(answered, alsoNotify)) {
      if (ids.length > 0) dues.push({ result: writeEmptyResult(evaluation, group.template), ids })
    }
    return dues
  }

  function emptyResultIds(
    answered: ReadonlyMap<QueryGroup, readonly RegisteredQuery[]>,
    alsoNotify: ReadonlySet<string>,
  ): Map<QueryGroup, string[]> {
    const idsByGroup = new Map<QueryGroup, string[]>()
    for (const group of registry.alwaysDueGroups) {
      idsByGroup.set(group, idsLeft(group, answered.get(group)))
    }
    for (const id of alsoNotify) {
      const query = registry.queries.find(id)
      // A query that is not always due skips empty results, and this once it must not.
      if (!query || query.alwaysDueAt >= 0 || query.queryClass.foundIn === runNumber) continue
      const { group } = query.queryClass
      const ids = idsByGroup.get(group)
      if (ids) ids.push(id)
      else idsByGroup.set(group, [id])
    }
    return idsByGroup
  }

  return {
    /** Replaces the query of that id, if there is one. */
    put: (query: StandingQuery) => putQuery(registry, query),
    remove: (id: string) => removeQuery(registry, id),
    size: () => registry.queries.size(),
    /** The parts of a block that must be read to answer every query. */
    wants: () => wantsOf(registry),
    /** The variables that queries name, each once, whether or not they exist. */
    variablesUsed: () => variablesOf(registry),
    /**
     * The results of all queries that are due on this block: those with something found, those
     * that do not skip empty results, and those in `alsoNotify`, whatever they skip.
     */
    run: (block: Block, alsoNotify = NOBODY): SharedResult[] => {
      const evaluation = openEvaluation(block, resultBytesMax)
      const found: FilterEntry<QueryClass>[] = []
      try {
        registry.index.match(block, found)
        return answer(evaluation, found, alsoNotify)
      } finally {
        forgetFound(found)
        closeEvaluation(evaluation)
      }
    },
  }
}

function wantsOf({ wanted }: QueryRegistry): BlockWants {
  const { transactions, receipts, traces, senders } = wanted
  const wants = { transactions: transactions > 0, receipts: receipts > 0, traces: traces > 0 }
  return senders > 0 ? { ...wants, senders: true } : wants
}

function variablesOf(registry: QueryRegistry): { teamId: string; name: string }[] {
  return [...registry.variableUses.keys()].map(({ teamId, name }) => ({ teamId, name }))
}

function resultOf(evaluation: BlockEvaluation, { group, filters }: QueryClass): QueryResult {
  const contents = group.listTemplates.map((template, at) => ({
    template,
    items: filters[at]?.found ?? NO_ITEMS,
  }))
  return writeResult(evaluation, group.template, contents)
}

function noteAnswered(
  answered: Map<QueryGroup, RegisteredQuery[]>,
  group: QueryGroup,
  queries: readonly RegisteredQuery[],
): void {
  const before = answered.get(group) ?? []
  answered.set(group, before)
  // One by one: a popular class may have more queries than a call takes arguments.
  for (const query of queries) before.push(query)
}

/**
 * The ids of all queries that are always due and not yet answered. The list is copied whole
 * and then thinned out: ten thousand ids are copied faster than checked one by one.
 */
function idsLeft(group: QueryGroup, answered: readonly RegisteredQuery[] | undefined): string[] {
  const ids = group.alwaysDueIds.slice()
  if (!answered) return ids
  const positions = answered
    .map(({ alwaysDueAt }) => alwaysDueAt)
    .filter((position) => position >= 0)
  // From the last on, so that the one which fills a gap never has to go itself.
  for (const position of positions.sort((one, other) => other - one)) {
    const last = ids.pop()
    if (position < ids.length && last !== undefined) ids[position] = last
  }
  return ids
}
