import { backoffMs } from '../../core/async/backoff.ts'
import { errorText, Failure } from '../../core/errors.ts'
import type { Database } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { type AttemptOutcome, settleDeliveries } from '../../tables/deliveries/settle-deliveries.ts'
import type { ScheduledWebhook } from '../schedule/schedule.ts'
import type { LeaseRequest } from '../upkeep/shard-lease.ts'

export type Finished = { webhook: ScheduledWebhook; outcome: AttemptOutcome }

type Options = {
  /** Each write renews the lease of our shards. */
  renewing(): LeaseRequest
  /** Told after the commit; `missed` are the indexes of the outcomes that did not count. */
  written(group: readonly Finished[], missed: ReadonlySet<number>): void
  /** The shards are not ours any more: nothing was written, and nothing will be. */
  fenced(): void
}

/** Outcomes wait for this many others, or for this long. */
const GROUP_FULL = 512
const GROUP_MAX = 1024
const GATHER_MS = 10

/** The wait before a delivery whose outcome the store refused is sent once more. */
const REFUSED_MS = 10_000

const AGAIN = { minMs: 100, maxMs: 2000 }

/**
 * Hot path. Waiting for the disk is what a delivery costs most, so the outcomes of many share a
 * commit: one at a time, and the next group gathers meanwhile.
 */
export function openGroupCommit(world: World, options: Options) {
  const { clock } = world
  let gathered: Finished[] = []
  let unwritten = 0
  /** Another object since the last time that everything was dropped. */
  let term = {}
  let committing: Promise<void> | null = null
  let isTimed = false
  let isClosed = false

  const start = () => {
    committing = commitGroup().then((tell) => {
      committing = null
      // First the next commit, so that it is under way while this one is told of.
      startOrGather()
      tell?.()
    })
  }

  const startOrGather = () => {
    if (committing || gathered.length === 0) return
    if (gathered.length >= GROUP_FULL) return start()
    if (isTimed) return
    isTimed = true
    clock.after(GATHER_MS, () => {
      isTimed = false
      if (!committing && gathered.length > 0) start()
    })
  }

  const commitGroup = async (): Promise<(() => void) | null> => {
    const mine = term
    const group = gathered.splice(0, GROUP_MAX)
    const done = await commitUntilTaken(world, options, group, {
      isDropped: () => term !== mine,
      isClosed: () => isClosed,
    })
    if (done === null || term !== mine) return null
    if (done === 'fenced') return options.fenced
    unwritten -= group.length
    if (done.refused.length > 0) tellLater(done.refused)
    return () => options.written(done.group, done.missed)
  }

  const tellLater = (refused: readonly Finished[]) => {
    const mine = term
    clock.after(REFUSED_MS, () => {
      if (term === mine && !isClosed) options.written(refused, new Set(refused.keys()))
    })
  }

  return {
    /** The outcome of an attempt. It is committed sooner or later, whatever the store does. */
    push(finished: Finished) {
      gathered.push(finished)
      unwritten += 1
      startOrGather()
    },
    unwritten: () => unwritten,
    discard() {
      gathered = []
      unwritten = 0
      term = {}
    },
    async flush() {
      while (unwritten > 0 && !isClosed) {
        if (!committing) start()
        await committing
      }
    },
    /** Outcomes that the store does not take at once from now on are left to the next owner. */
    close() {
      isClosed = true
    },
  }
}

type Committed = {
  group: readonly Finished[]
  missed: ReadonlySet<number>
  refused: readonly Finished[]
}

/**
 * Outcomes are kept until the store has them. That is harmless however long it takes: none counts
 * once the shards are another's, and one that was committed without our hearing of it does not
 * count twice. Null when they were dropped, or left to the next owner.
 */
async function commitUntilTaken(
  world: World,
  options: Options,
  group: readonly Finished[],
  { isDropped, isClosed }: { isDropped(): boolean; isClosed(): boolean },
): Promise<Committed | 'fenced' | null> {
  for (let failures = 1; !isDropped(); failures++) {
    const done = await tryToCommit(world, options.renewing(), group)
    if (done !== 'unavailable') return done
    if (isClosed()) return null
    await world.clock.sleep(backoffMs(AGAIN, failures))
  }
  return null
}

/** One lease for all of them: what was attempted under one token is written under that token. */
async function tryToCommit(
  world: World,
  lease: LeaseRequest,
  group: readonly Finished[],
): Promise<Committed | 'fenced' | 'unavailable'> {
  try {
    const missed = await settle(world.database, lease, group)
    return missed === 'fenced' ? missed : { group, missed, refused: [] }
  } catch (failure) {
    noteFailure(world, group.length, failure)
    const isUnavailable = failure instanceof Failure && failure.code === 'database_unavailable'
    return isUnavailable ? 'unavailable' : oneByOne(world, lease, group)
  }
}

async function settle(database: Database, lease: LeaseRequest, group: readonly Finished[]) {
  const outcomes = group.map(({ outcome }) => outcome)
  const missed = await settleDeliveries(database, lease.fence, outcomes)
  if (missed !== 'fenced') lease.granted()
  return missed
}

/** One outcome that the store will never take must not hold up all others. */
async function oneByOne(
  world: World,
  lease: LeaseRequest,
  group: readonly Finished[],
): Promise<Committed | 'fenced'> {
  const taken: Finished[] = []
  const missed = new Set<number>()
  const refused: Finished[] = []
  for (const finished of group) {
    try {
      const one = await settle(world.database, lease, [finished])
      if (one === 'fenced') return one
      if (one.has(0)) missed.add(taken.length)
      taken.push(finished)
    } catch (thrown) {
      noteFailure(world, 1, thrown)
      refused.push(finished)
    }
  }
  return { group: taken, missed, refused }
}

function noteFailure({ telemetry }: World, outcomes: number, thrown: unknown): void {
  telemetry.log('error', 'courier_commit_failed', { outcomes, reason: errorText(thrown) })
  telemetry.count('headgate_courier_commit_failures_total', {})
}
