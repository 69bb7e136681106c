import { openInternTable } from '../index/intern-table.ts'
import { liveVariable } from '../index/list-index.ts'
import { openPredicateIndex } from '../index/predicate-index.ts'
import { detachString } from '../keys/detach-string.ts'
import type { LiveVariable } from '../keys/live-variable.ts'
import { smallSetWith, smallSetWithout } from '../keys/small-set.ts'
import type { VariableRegistry } from '../keys/variable-registry.ts'
import type { QueryPlan } from '../language/query-plan.ts'
import {
  namesVariables,
  openFragmentTemplates,
  type VariableSource,
} from '../output/fragment-templates.ts'
import {
  closeResultTemplate,
  listFields,
  listNameOf,
  openResultTemplate,
  resultTemplateKey,
} from '../output/result-template.ts'
import type { QueryClass, QueryGroup, RegisteredQuery } from './query-class.ts'

export type QueryRegistry = ReturnType<typeof openQueryRegistry>

/** All standing queries of a network, taken apart so that equal parts are kept once. */
export function openQueryRegistry(variables: VariableRegistry) {
  return {
    /** By id. */
    queries: openInternTable<RegisteredQuery>(({ id }) => id),
    classes: openInternTable<QueryClass>(classKey),
    groups: new Map<string, QueryGroup>(),
    alwaysDueGroups: new Set<QueryGroup>(),
    templates: openFragmentTemplates(),
    index: openPredicateIndex<QueryClass>(variables),
    variables,
    variableUses: new Map<LiveVariable, number>(),
    wanted: { transactions: 0, receipts: 0, traces: 0, senders: 0 },
    groupsMade: 0,
  }
}

export function putQuery(
  registry: QueryRegistry,
  query: { id: string; teamId: string; plan: QueryPlan; skipEmpty: boolean },
): void {
  const { id, teamId, plan, skipEmpty } = query
  const before = registry.queries.find(id)
  // The new one first, so that what both share is not thrown away and made again.
  const queryClass = acquireClass(registry, teamId, plan)
  const registered: RegisteredQuery = { id, queryClass, alwaysDueAt: -1 }
  queryClass.queries = smallSetWith(queryClass.queries, registered)
  countWants(registry, queryClass, 1)
  if (before) {
    registry.queries.remove(before)
    leaveClass(registry, before)
  }
  registry.queries.add(id, registered)
  // A query without lists is never empty, so it skips nothing.
  if (!skipEmpty || queryClass.filters.length === 0) addAlwaysDue(registry, registered)
}

export function removeQuery(registry: QueryRegistry, id: string): void {
  const query = registry.queries.find(id)
  if (!query) return
  registry.queries.remove(query)
  leaveClass(registry, query)
}

function leaveClass(registry: QueryRegistry, query: RegisteredQuery): void {
  const { queryClass } = query
  if (query.alwaysDueAt >= 0) removeAlwaysDue(registry, query)
  countWants(registry, queryClass, -1)
  queryClass.queries = smallSetWithout(queryClass.queries, query)
  if (queryClass.queries === undefined) dropClass(registry, queryClass)
}

function acquireClass(registry: QueryRegistry, teamId: string, plan: QueryPlan): QueryClass {
  const source = sourceOf(registry, teamId)
  const group = acquireGroup(registry, teamId, plan, source)
  const filters = listFields(plan).map(({ name, filter }) =>
    registry.index.acquire(listNameOf(name)!, filter, source),
  )
  const key = classKey({ group, filters })
  const known = registry.classes.find(key)
  if (known) return known
  const usesSenders = plan.wants.senders === true
  const made: QueryClass = { group, filters, usesSenders, queries: undefined, foundIn: 0 }
  for (const entry of filters) entry.users = smallSetWith(entry.users, made)
  group.classCount++
  registry.classes.add(key, made)
  return made
}

function classKey({ group, filters }: Pick<QueryClass, 'group' | 'filters'>): string {
  return `${group.number}:${filters.map(({ number }) => number).join()}`
}

function dropClass(registry: QueryRegistry, queryClass: QueryClass): void {
  const { group } = queryClass
  const source = sourceOf(registry, '')
  registry.classes.remove(queryClass)
  for (const [at, entry] of queryClass.filters.entries()) {
    // Two lists of a query may share one filter entry.
    if (queryClass.filters.indexOf(entry) < at) continue
    entry.users = smallSetWithout(entry.users, queryClass)
    if (entry.users) continue
    registry.index.release(group.template.lists[at]!.list, entry, source)
  }
  if (--group.classCount > 0) return
  registry.groups.delete(group.key)
  for (const template of group.listTemplates) registry.templates.release(template, source)
  closeResultTemplate(group.template, registry.templates, source)
}

function acquireGroup(
  registry: QueryRegistry,
  teamId: string,
  plan: QueryPlan,
  source: VariableSource,
): QueryGroup {
  const { templates, groups } = registry
  const lists = listFields(plan)
  // Filters further down may name variables, which are a team's own.
  const isTeams = lists.some(({ selection }) => namesVariables(selection!))
  const written = lists.map(({ selection }) => selection!.key).join()
  const key = `${resultTemplateKey(plan)}${written}${isTeams ? teamId : ''}`
  const known = groups.get(key)
  if (known) return known
  const made: QueryGroup = {
    key,
    number: ++registry.groupsMade,
    template: openResultTemplate(plan, templates, source),
    listTemplates: lists.map(({ selection }) => templates.acquire(selection!, source)),
    wants: plan.wants,
    classCount: 0,
    alwaysDue: [],
    alwaysDueIds: [],
  }
  groups.set(key, made)
  return made
}

function addAlwaysDue(registry: QueryRegistry, query: RegisteredQuery): void {
  const { group } = query.queryClass
  query.alwaysDueAt = group.alwaysDue.length
  group.alwaysDue.push(query)
  group.alwaysDueIds.push(query.id)
  registry.alwaysDueGroups.add(group)
}

/** The last query takes its position, so that leaving takes no longer in a large group. */
function removeAlwaysDue(registry: QueryRegistry, query: RegisteredQuery): void {
  const { group } = query.queryClass
  const last = group.alwaysDue.pop()
  const lastId = group.alwaysDueIds.pop()
  if (last && lastId !== undefined && last !== query) {
    group.alwaysDue[query.alwaysDueAt] = last
    group.alwaysDueIds[query.alwaysDueAt] = lastId
    last.alwaysDueAt = query.alwaysDueAt
  }
  if (group.alwaysDue.length === 0) registry.alwaysDueGroups.delete(group)
}

/** Made when needed: one kept for each of 100,000 teams would cost more. */
function sourceOf({ variables, variableUses }: QueryRegistry, teamId: string): VariableSource {
  return {
    scope: teamId,
    acquire: (name) => {
      const live = variables.acquire(teamId, detachString(name))
      variableUses.set(live, (variableUses.get(live) ?? 0) + 1)
      return live
    },
    release: (check) => {
      const live = liveVariable(check)
      if (!live) return
      const uses = (variableUses.get(live) ?? 1) - 1
      if (uses === 0) variableUses.delete(live)
      else variableUses.set(live, uses)
      variables.release(live)
    },
  }
}

function countWants({ wanted }: QueryRegistry, queryClass: QueryClass, by: number): void {
  const { wants } = queryClass.group
  if (wants.transactions) wanted.transactions += by
  if (wants.receipts) wanted.receipts += by
  if (wants.traces) wanted.traces += by
  if (queryClass.usesSenders) wanted.senders += by
}
