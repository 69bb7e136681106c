import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from '../../ports/database.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { type ClaimedDelivery, claimDeliveries } from '../../tables/deliveries/delivery-claims.ts'
import { type AttemptOutcome, writeOutcomes } from '../../tables/deliveries/delivery-outcomes.ts'

type Needs = {
  clock: Clock
  database: Database
  telemetry: Telemetry
  /** How long what is claimed is ours. */
  leaseMs: number
  /** A new name at each call, unlike any of another process. */
  nextLease(): string
  /** Told after the commit; `ours` are those whose lease still held. */
  written(outcomes: readonly AttemptOutcome[], ours: ReadonlySet<string>): void
  /** Another commit may begin. */
  committed(): void
}

/** What was claimed: those of the ids that are ours, until then. */
type Claimed =
  | { ours: ReadonlyMap<string, ClaimedDelivery>; lease: string; untilMs: number }
  /** The store failed. With a lease, they may be ours under it without our having heard so. */
  | { ours: null; lease: string | null; failure: unknown }

export type GroupCommit = {
  /** The outcome of an attempt. It is committed sooner or later, whatever the store does. */
  push(outcome: AttemptOutcome): void
  /** Deliveries that are to be ours. Claims are granted in the order they are made in. */
  claim(ids: readonly string[]): Promise<Claimed>
  isCommitting(): boolean
  /** Outcomes that are not committed yet. */
  unwritten(): number
  /** Ends when every outcome is committed. */
  flush(): Promise<void>
  /** What the store does not take at once from now on is left to the next process. */
  close(): void
}

type Claim = { ids: readonly string[]; resolve(claimed: Claimed): void }

type Group = { outcomes: readonly AttemptOutcome[]; claims: readonly Claim[] }

/**
 * Without a claim to go with, outcomes wait for so many others, or for so long: mostly each of
 * them frees a place, and then a claim follows.
 */
const GROUP_FULL = 512
const GROUP_MAX = 1024
const GATHER_MS = 10

const NONE: ReadonlySet<string> = new Set()
const NOTHING: ReadonlyMap<string, ClaimedDelivery> = new Map()

const AGAIN_MS_MIN = 100
const AGAIN_MS_MAX = 2000

/**
 * Hot path. Waiting for the disk is what a delivery costs most, so claims and outcomes of many
 * deliveries share a commit: one at a time, and the next group gathers meanwhile. Measured, one
 * commit for both instead of two is half of the waiting.
 */
export function openGroupCommit(needs: Needs): GroupCommit {
  const { clock } = needs
  const outcomes: AttemptOutcome[] = []
  const claims: Claim[] = []
  let unwritten = 0
  let committing: Promise<void> | null = null
  let isTimed = false
  let isClosed = false

  const start = () => {
    committing = commitGroup().then((tell) => {
      committing = null
      // First the next commit, so that it is under way while what is ours now is sent.
      startOrGather()
      tell()
      needs.committed()
    })
  }

  const startOrGather = () => {
    if (committing) return
    if (claims.length > 0 || outcomes.length >= GROUP_FULL) start()
    else if (outcomes.length > 0) gatherOn()
  }

  const gatherOn = () => {
    if (isTimed) return
    isTimed = true
    clock.after(GATHER_MS, () => {
      isTimed = false
      if (!committing && outcomes.length > 0) start()
    })
  }

  /**
   * Outcomes stay in hand until the store has them. That is harmless however long it takes:
   * one only counts while the lease is ours, and one that was committed without our hearing
   * of it has given its lease back.
   */
  const commitGroup = async () => {
    const group = { outcomes: outcomes.splice(0, GROUP_MAX), claims: claims.splice(0) }
    for (let waitMs = AGAIN_MS_MIN; ; waitMs = Math.min(AGAIN_MS_MAX, waitMs * 2)) {
      const done = await tryToCommit(needs, group)
      if (done) {
        unwritten -= group.outcomes.length
        return () => {
          done.grant()
          if (group.outcomes.length > 0) needs.written(group.outcomes, done.ours)
        }
      }
      // Whoever claims has sent nothing yet and asks again when it makes sense. All of them
      // do, so that none overtakes another.
      const failure = new Failure('database_unavailable')
      for (const { resolve } of claims.splice(0)) resolve({ ours: null, lease: null, failure })
      group.claims = []
      if (isClosed || group.outcomes.length === 0) return () => {}
      await clock.sleep(waitMs)
    }
  }

  return {
    push(outcome) {
      outcomes.push(outcome)
      unwritten += 1
      startOrGather()
    },
    claim: (ids) =>
      new Promise((resolve) => {
        claims.push({ ids, resolve })
        startOrGather()
      }),
    isCommitting: () => committing !== null,
    unwritten: () => unwritten,
    async flush() {
      while (unwritten > 0 && !isClosed) {
        if (!committing) start()
        await committing
      }
    },
    close() {
      isClosed = true
    },
  }
}

/** What was committed: the outcomes whose lease held, and the claims, to be told of. */
type Committed = { ours: ReadonlySet<string>; grant(): void }

/** Null while the store cannot be reached. */
async function tryToCommit(needs: Needs, group: Group): Promise<Committed | null> {
  const { outcomes, claims } = group
  const lease = needs.nextLease()
  const nowMs = needs.clock.nowMs()
  const untilMs = nowMs + needs.leaseMs
  try {
    if (claims.length === 0)
      return { ours: await writeOutcomes(needs.database, outcomes), grant() {} }
    const [kept, ours] = await needs.database.transaction((tx) => {
      const ids = claims.flatMap((claim) => claim.ids)
      // Not one after the other: each wait is a change of threads, which costs more than the work.
      return Promise.all([
        outcomes.length > 0 ? writeOutcomes(joining(tx), outcomes) : NONE,
        ids.length > 0 ? claimDeliveries(tx, ids, lease, nowMs, untilMs) : NOTHING,
      ])
    })
    const grant = () => {
      for (const { resolve } of claims) resolve({ ours, lease, untilMs })
    }
    return { ours: kept, grant }
  } catch (failure) {
    noteTrouble(needs, outcomes.length, failure)
    for (const { resolve } of claims) resolve({ ours: null, lease, failure })
    const isUnavailable = failure instanceof Failure && failure.code === 'database_unavailable'
    return isUnavailable ? null : { ours: await oneByOne(needs, outcomes), grant() {} }
  }
}

/** For what makes a transaction of its own: it becomes a part of this one. */
function joining(tx: Database): Database {
  return { ...tx, transaction: (work) => work(tx) }
}

/** One outcome that the store will never take must not hold up all others. */
async function oneByOne(
  needs: Needs,
  outcomes: readonly AttemptOutcome[],
): Promise<ReadonlySet<string>> {
  const ours = new Set<string>()
  for (const outcome of outcomes) {
    try {
      for (const id of await writeOutcomes(needs.database, [outcome])) ours.add(id)
    } catch (thrown) {
      // Its lease lapses, and it is delivered again.
      noteTrouble(needs, 1, thrown)
    }
  }
  return ours
}

function noteTrouble({ telemetry }: Needs, outcomes: number, thrown: unknown): void {
  const reason = thrown instanceof Error ? thrown.message : String(thrown)
  telemetry.log('error', 'courier_not_committed', { outcomes, reason })
  telemetry.count('headgate_courier_commit_failures_total', {})
}
