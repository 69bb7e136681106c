import type { Block, BlockWants } from '../../chain/block.ts'
import type { Watch } from '../index/list-index.ts'
import { forgetFound } from '../index/predicate-index.ts'
import type { Item } from '../items/item-filter.ts'
import { bagItems } from '../keys/bag.ts'
import type { VariableBook } from '../keys/variable-book.ts'
import type { Plan } from '../language/plan.ts'
import { closeRun, openRun, type Run } from '../output/fragments.ts'
import type { Outcome } from '../output/outcome.ts'
import { RESULT_BYTES_MAX, writeBareOutcome, writeOutcome } from '../output/write-outcome.ts'
import type { Group, Member, Standing } from './standing.ts'
import { openStandingBook, putQuery, removeQuery, type StandingBook } from './standing-book.ts'

export type StandingQuery = {
  id: string
  teamId: string
  plan: Plan
  /** Whether a block on which the result is empty is passed over. */
  skipEmpty: boolean
}

/** One result and all queries that it is due to. */
export type Due = { outcome: Outcome; ids: readonly string[] }

export type Engine = {
  /** Takes the place of the query of that id, if there is one. */
  put(query: StandingQuery): void
  remove(id: string): void
  size(): number
  /** All that must be read of a block to answer every query. */
  wants(): BlockWants
  /** The variables that queries name, each once, whether or not they exist. */
  variablesUsed(): { teamId: string; name: string }[]
  /**
   * Every query that is due on this block: those with something found, those that do
   * not skip empty results, and those in `even`, whatever they skip.
   */
  run(block: Block, even?: ReadonlySet<string>): Due[]
}

const NOBODY: ReadonlySet<string> = new Set()
const NO_ITEMS: readonly Item[] = []

/** Answers the standing queries of one network, block by block. */
export function openEngine(book: VariableBook, resultBytesMax: number = RESULT_BYTES_MAX): Engine {
  const standings = openStandingBook(book)
  let runNumber = 0

  /** Cost: the block's size, what is found in it, and the results that are due. */
  function answer(run: Run, found: readonly Watch<Standing>[], even: ReadonlySet<string>): Due[] {
    runNumber++
    const dues: Due[] = []
    const answered = new Map<Group, Member[]>()
    for (const { users } of found) {
      for (const standing of bagItems(users)) {
        if (standing.foundIn === runNumber) continue
        standing.foundIn = runNumber
        const members = [...bagItems(standing.members)]
        dues.push({ outcome: outcomeOf(run, standing), ids: members.map(({ id }) => id) })
        noteAnswered(answered, standing.group, members)
      }
    }
    for (const [group, ids] of bareIds(answered, even)) {
      if (ids.length > 0) dues.push({ outcome: writeBareOutcome(run, group.frame), ids })
    }
    return dues
  }

  /** Who gets the result with empty lists, by group. */
  function bareIds(
    answered: ReadonlyMap<Group, readonly Member[]>,
    even: ReadonlySet<string>,
  ): Map<Group, string[]> {
    const bare = new Map<Group, string[]>()
    for (const group of standings.dueGroups) bare.set(group, idsLeft(group, answered.get(group)))
    for (const id of even) {
      const member = standings.members.get(id)
      // Without a place among the due it skips empty results, and this once it must not.
      if (!member || member.dueAt >= 0 || member.standing.foundIn === runNumber) continue
      const { group } = member.standing
      const ids = bare.get(group)
      if (ids) ids.push(id)
      else bare.set(group, [id])
    }
    return bare
  }

  return {
    put: (query) => putQuery(standings, query),
    remove: (id) => removeQuery(standings, id),
    size: () => standings.members.size,
    wants: () => wantsOf(standings),
    variablesUsed: () => variables(standings),
    run: (block, even = NOBODY) => {
      const run = openRun(block, resultBytesMax)
      const found: Watch<Standing>[] = []
      try {
        standings.index.match(block, found)
        return answer(run, found, even)
      } finally {
        forgetFound(found)
        closeRun(run)
      }
    },
  }
}

function wantsOf({ wanted }: StandingBook): BlockWants {
  const { transactions, receipts, traces } = wanted
  return { transactions: transactions > 0, receipts: receipts > 0, traces: traces > 0 }
}

function variables(standings: StandingBook): { teamId: string; name: string }[] {
  return [...standings.variables.keys()].map(({ teamId, name }) => ({ teamId, name }))
}

function outcomeOf(run: Run, { group, watches }: Standing): Outcome {
  const fillings = group.shapes.map((shape, at) => ({
    shape,
    items: watches[at]?.found ?? NO_ITEMS,
  }))
  return writeOutcome(run, group.frame, fillings)
}

function noteAnswered(
  answered: Map<Group, Member[]>,
  group: Group,
  members: readonly Member[],
): void {
  const before = answered.get(group) ?? []
  answered.set(group, before)
  // One by one: a popular query may have more members than a call takes arguments.
  for (const member of members) before.push(member)
}

/**
 * The ids of all that are always due but for those answered already. Copied whole and
 * then thinned out: ten thousand ids are copied faster than asked one by one.
 */
function idsLeft(group: Group, answered: readonly Member[] | undefined): string[] {
  const ids = group.dueIds.slice()
  if (!answered) return ids
  const places = answered.map(({ dueAt }) => dueAt).filter((place) => place >= 0)
  // From the last on, so that the one which fills a gap never has to go itself.
  for (const place of places.sort((one, other) => other - one)) {
    const last = ids.pop()
    if (place < ids.length && last !== undefined) ids[place] = last
  }
  return ids
}
