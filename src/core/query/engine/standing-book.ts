import type { BlockWants } from '../../chain/block.ts'
import { type HashBook, openHashBook } from '../index/hash-book.ts'
import { liveVariable } from '../index/list-index.ts'
import { openPredicateIndex, type PredicateIndex } from '../index/predicate-index.ts'
import { bagWith, bagWithout } from '../keys/bag.ts'
import type { LiveVariable } from '../keys/live-variable.ts'
import { ownText } from '../keys/own-text.ts'
import type { VariableBook } from '../keys/variable-book.ts'
import type { Plan } from '../language/plan.ts'
import { closeFrame, frameKey, listFields, listNameOf, openFrame } from '../output/frame.ts'
import { namesVariables, openShapes, type Shapes, type VariableSource } from '../output/shapes.ts'
import type { Group, Member, Standing } from './standing.ts'

/** All standing queries of a network, taken apart so that equal parts are kept once. */
export type StandingBook = {
  readonly members: Map<string, Member>
  readonly standings: HashBook<Standing>
  readonly groups: Map<string, Group>
  /** The groups with queries that are due on every block. */
  readonly dueGroups: Set<Group>
  readonly shapes: Shapes
  readonly index: PredicateIndex<Standing>
  readonly book: VariableBook
  /** How often each variable is named. */
  readonly variables: Map<LiveVariable, number>
  /** How many queries want each part of a block. */
  readonly wanted: Record<keyof BlockWants, number>
  groupsMade: number
}

export function openStandingBook(book: VariableBook): StandingBook {
  return {
    members: new Map(),
    standings: openHashBook<Standing>(standingText),
    groups: new Map(),
    dueGroups: new Set(),
    shapes: openShapes(),
    index: openPredicateIndex(book),
    book,
    variables: new Map(),
    wanted: { transactions: 0, receipts: 0, traces: 0 },
    groupsMade: 0,
  }
}

export function putQuery(
  all: StandingBook,
  query: { id: string; teamId: string; plan: Plan; skipEmpty: boolean },
): void {
  const { id, teamId, plan, skipEmpty } = query
  const before = all.members.get(id)
  // The new one first, so that what both share is not thrown away and made again.
  const standing = takeStanding(all, teamId, plan)
  const member: Member = { id, standing, dueAt: -1 }
  standing.members = bagWith(standing.members, member)
  count(all, standing.group.wants, 1)
  if (before) leave(all, before)
  all.members.set(id, member)
  // A query without lists is never empty, so it skips nothing.
  if (!skipEmpty || standing.watches.length === 0) makeDue(all, member)
}

export function removeQuery(all: StandingBook, id: string): void {
  const member = all.members.get(id)
  if (!member) return
  all.members.delete(id)
  leave(all, member)
}

function leave(all: StandingBook, member: Member): void {
  const { standing } = member
  if (member.dueAt >= 0) makeNotDue(all, member)
  count(all, standing.group.wants, -1)
  standing.members = bagWithout(standing.members, member)
  if (standing.members === undefined) dropStanding(all, standing)
}

function takeStanding(all: StandingBook, teamId: string, plan: Plan): Standing {
  const source = sourceOf(all, teamId)
  const group = takeGroup(all, teamId, plan, source)
  const watches = listFields(plan).map(({ name, filter }) =>
    all.index.take(listNameOf(name)!, filter, source),
  )
  const text = standingText({ group, watches })
  const known = all.standings.find(text)
  if (known) return known
  const made: Standing = { group, watches, members: undefined, foundIn: 0 }
  for (const watch of watches) watch.users = bagWith(watch.users, made)
  group.standings++
  all.standings.add(text, made)
  return made
}

function standingText({ group, watches }: Pick<Standing, 'group' | 'watches'>): string {
  return `${group.number}:${watches.map(({ number }) => number).join()}`
}

function dropStanding(all: StandingBook, standing: Standing): void {
  const { group } = standing
  const source = sourceOf(all, '')
  all.standings.remove(standing)
  // Two lists of a query may have one watch.
  for (const watch of new Set(standing.watches)) {
    watch.users = bagWithout(watch.users, standing)
    if (watch.users === undefined) all.index.release(watch, source)
  }
  if (--group.standings > 0) return
  all.groups.delete(group.key)
  for (const shape of group.shapes) all.shapes.release(shape, source)
  closeFrame(group.frame, all.shapes, source)
}

function takeGroup(all: StandingBook, teamId: string, plan: Plan, source: VariableSource): Group {
  const { shapes, groups } = all
  const lists = listFields(plan)
  // Filters further down may name variables, which are a team's own.
  const isTeams = lists.some(({ selection }) => namesVariables(selection!))
  const written = lists.map(({ selection }) => selection!.key).join()
  const key = `${frameKey(plan)}${written}${isTeams ? teamId : ''}`
  const known = groups.get(key)
  if (known) return known
  const made: Group = {
    key,
    number: ++all.groupsMade,
    frame: openFrame(plan, shapes, source),
    shapes: lists.map(({ selection }) => shapes.take(selection!, source)),
    wants: plan.wants,
    standings: 0,
    due: [],
    dueIds: [],
  }
  groups.set(key, made)
  return made
}

function makeDue(all: StandingBook, member: Member): void {
  const { group } = member.standing
  member.dueAt = group.due.length
  group.due.push(member)
  group.dueIds.push(member.id)
  all.dueGroups.add(group)
}

/** The last one takes its place, so that leaving takes no longer for a large group. */
function makeNotDue(all: StandingBook, member: Member): void {
  const { group } = member.standing
  const last = group.due.pop()
  const lastId = group.dueIds.pop()
  if (last && lastId !== undefined && last !== member) {
    group.due[member.dueAt] = last
    group.dueIds[member.dueAt] = lastId
    last.dueAt = member.dueAt
  }
  if (group.due.length === 0) all.dueGroups.delete(group)
}

/** Made when needed: one kept for each of 100,000 teams would cost more. */
function sourceOf({ book, variables }: StandingBook, teamId: string): VariableSource {
  return {
    scope: teamId,
    hold: (name) => {
      const live = book.hold(teamId, ownText(name))
      variables.set(live, (variables.get(live) ?? 0) + 1)
      return live
    },
    release: (check) => {
      const live = liveVariable(check)
      if (!live) return
      const uses = (variables.get(live) ?? 1) - 1
      if (uses === 0) variables.delete(live)
      else variables.set(live, uses)
      book.release(live)
    },
  }
}

function count({ wanted }: StandingBook, wants: BlockWants, by: number): void {
  if (wants.transactions) wanted.transactions += by
  if (wants.receipts) wanted.receipts += by
  if (wants.traces) wanted.traces += by
}
