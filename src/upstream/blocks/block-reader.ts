import { backoffMs } from '../../core/async/backoff.ts'
import { within } from '../../core/async/within.ts'
import type { Block, BlockWants } from '../../core/chain/block.ts'
import type { BlockRef } from '../../core/chain/checks.ts'
import { type ChainQuirks, quirksOf } from '../../core/chain/quirks.ts'
import { Failure } from '../../core/errors.ts'
import type { NetworkService } from '../answers/ask-network.ts'
import { noteBlockRead } from '../node/active-health.ts'
import type { Upstream } from '../node/upstream.ts'
import { type BlockReadOutcome, canTrace, readBlockFrom } from './read-block-from.ts'
import {
  noteUnknownForm,
  noteUnproven,
  provableWants,
  reportUnknownForms,
  type UnknownForms,
} from './unproven-blocks.ts'

type Search = {
  service: NetworkService
  ref: BlockRef
  wants: BlockWants
  quirks: ChainQuirks
  preferred: Upstream | null
  deadlineMs: number
  over: boolean
  /** Upstreams that have not answered yet, and what settles when they have. */
  busy: Map<Upstream, Promise<unknown>>
  tries: Map<Upstream, number>
  found: PromiseWithResolvers<Block>
  unknownForms: UnknownForms
  tally: Tally
}

/** The outcomes since the round began; `reason` and `failure` are the last of all rounds. */
type Tally = {
  unknown: number
  disagrees: number
  unproven: number
  unsupported: number
  reason: string | null
  failure: Failure | null
}

/** How long a block is searched for. Then the follower decides anew; its head may have moved on. */
const READ_MS_MAX = 30_000

/** How long an upstream is waited for before another is asked too. */
const ANSWER_MS_MAX = 2000

/** Fresh blocks are incomplete for a moment at many nodes; these waits add up to five seconds. */
const ROUNDS_MAX = 8
const WAIT_LIMITS = { minMs: 50, maxMs: 2000 }

/** Rounds, which take a second and a half, after which a block that nobody knows is gone. */
const UNKNOWN_ROUNDS_MAX = 6

/** Tries of one upstream before it is asked in other ways than the usual. */
const USUAL_TRIES = 2

const PRIORITY = { preferred: 0, used: 1, standby: 2, failing: 3, excluded: 4 } as const

const NO_OUTCOMES = { unknown: 0, disagrees: 0, unproven: 0, unsupported: 0 }

const UNABLE: BlockReadOutcome = { kind: 'unsupported' }
const UNSUPPORTED = 'no upstream gives all parts of a block'

/**
 * The block with this hash, its parts from one upstream and in agreement. Null when the
 * upstreams do not know it, as after a reorganisation; throws a Failure when none could
 * give a whole block. `preferred` is who announced it.
 */
export async function readBlock(
  service: NetworkService,
  ref: BlockRef,
  wants: BlockWants,
  preferred: Upstream | null,
): Promise<Block | null> {
  const search: Search = {
    service,
    ref: { number: ref.number, hash: ref.hash.toLowerCase() },
    wants: provableWants(service, wants),
    quirks: quirksOf(service.network.chainId),
    preferred,
    deadlineMs: service.pool.clock.monotonicMs() + READ_MS_MAX,
    over: false,
    busy: new Map(),
    tries: new Map(),
    found: Promise.withResolvers(),
    unknownForms: new Map(),
    tally: { ...NO_OUTCOMES, reason: null, failure: null },
  }
  try {
    return await Promise.race([search.found.promise, askInRounds(search)])
  } finally {
    search.over = true
    reportUnknownForms(search)
  }
}

/** Asks until the block is found, which ends it from outside; null or a Failure when it is not. */
async function askInRounds(search: Search): Promise<Block | null> {
  let unknownRounds = 0
  for (let round = 0; round < ROUNDS_MAX && leftMs(search) > 0; round++) {
    if (round > 0) await pause(search, round)
    search.tally = { ...search.tally, ...NO_OUTCOMES }
    const asked = await askRound(search, round)
    if (search.over) return null

    const { unknown, unsupported } = search.tally
    if (refused(search) > 0) unknownRounds = 0
    else if (unknown > 0) unknownRounds++
    if (unknownRounds >= UNKNOWN_ROUNDS_MAX) return null
    // The first round leaves out upstreams that do badly, the next does not.
    if (round > 0 && asked > 0 && unsupported === asked) break
  }
  if (search.busy.size > 0 && leftMs(search) > 0) await waitFor(search, anyBusy(search))
  if (unknownRounds > 0 && refused(search) === 0) return null
  throw failureOf(search)
}

function refused({ tally }: Search): number {
  return tally.disagrees + tally.unproven
}

/** Asks each upstream once, the first twice; says how many that was. */
async function askRound(search: Search, round: number): Promise<number> {
  const idle = candidates(search, round)
  if (idle.length === 0 && search.busy.size > 0) await waitFor(search, anyBusy(search))
  for (const [at, upstream] of idle.entries()) {
    if (search.over || leftMs(search) <= 0) break
    await ask(search, upstream)
    // An upstream that announced a block lately is the likeliest to have all of it in a moment.
    const retry = round === 0 && at === 0 && search.tally.unknown + search.tally.disagrees > 0
    if (!retry || search.over) continue
    await pause(search, 1)
    await ask(search, upstream)
  }
  return idle.length
}

/** The upstreams to be asked, best first. */
function candidates(search: Search, round: number): Upstream[] {
  const { selection } = search.service.pool
  const nowMs = search.service.pool.clock.monotonicMs()
  const priorityOf = (upstream: Upstream) => {
    const state = selection.followStateOf.get(upstream)
    if (state !== 'used' && state !== 'standby') return PRIORITY.excluded
    if (upstream.activeHealth.blocksFailUntilMs > nowMs) return PRIORITY.failing
    if (upstream === search.preferred) return PRIORITY.preferred
    return PRIORITY[state]
  }
  const idle = selection.upstreams.filter(
    (upstream) => upstream.chain !== 'wrong' && !search.busy.has(upstream),
  )
  const good = idle.filter((upstream) => priorityOf(upstream) !== PRIORITY.excluded)
  const asked = round === 0 && good.length > 0 ? good : idle
  const rank = (upstream: Upstream) => tracing(search, upstream) * 10 + priorityOf(upstream)
  return asked.sort((a, b) => rank(a) - rank(b) || a.costFactor - b.costFactor)
}

/** An upstream configured not to trace is asked last, and one that showed it, after that. */
function tracing({ service, wants }: Search, upstream: Upstream): number {
  if (!wants.traces) return 0
  if (!canTrace({ service, upstream })) return 2
  return upstream.spec.traces ? 0 : 1
}

async function ask(search: Search, upstream: Upstream): Promise<void> {
  const attempt = tryOnce(search, upstream)
  search.busy.set(upstream, attempt)
  await waitFor(search, attempt, ANSWER_MS_MAX)
  // The wait was in vain: for the next block another is asked first.
  if (search.busy.has(upstream))
    noteBlockRead(upstream.activeHealth, false, search.service.pool.clock.monotonicMs())
}

/** Never fails: the outcome is noted, however late, as long as anybody waits. */
async function tryOnce(search: Search, upstream: Upstream): Promise<void> {
  const { service, ref, quirks, wants } = search
  const tries = search.tries.get(upstream) ?? 0
  search.tries.set(upstream, tries + 1)
  const isRetried = tries >= USUAL_TRIES
  const isOver = () => search.over
  // An upstream without traces can still confirm a block of unknown form that another showed.
  const isWitness = wants.traces && search.unknownForms.size > 0 && !canTrace({ service, upstream })
  try {
    const context = { service, upstream, ref, quirks, isRetried, isOver }
    const read = await readBlockFrom(context, isWitness ? { ...wants, traces: false } : wants)
    const outcome = isWitness && read.kind === 'block' ? UNABLE : read
    const isUsable = outcome.kind !== 'unproven' || outcome.unknownForm !== null
    noteBlockRead(upstream.activeHealth, isUsable, search.service.pool.clock.monotonicMs())
    if (!search.over) note(search, upstream, outcome)
  } catch (thrown) {
    // A bug of ours is nothing that another upstream could mend.
    if (thrown instanceof Failure) search.tally.failure = thrown
    else search.found.reject(thrown)
    noteBlockRead(upstream.activeHealth, false, search.service.pool.clock.monotonicMs())
  } finally {
    search.busy.delete(upstream)
  }
}

function note(search: Search, upstream: Upstream, outcome: BlockReadOutcome): void {
  const { tally, service, ref } = search
  if (outcome.kind === 'block') found(search, outcome.block)
  if (outcome.kind === 'unknown') tally.unknown++
  if (outcome.kind === 'unsupported') tally.unsupported++
  if (outcome.kind === 'unproven') {
    tally.unproven++
    tally.reason = outcome.reason
    const { unknownForm: block, reason } = outcome
    const accepted = block && noteUnknownForm(search, upstream, { block, reason })
    if (accepted) found(search, accepted)
    if (!block) noteUnproven(service, upstream, ref.number, reason)
  }
  if (outcome.kind !== 'disagrees') return
  tally.disagrees++
  tally.reason = outcome.reason
  const labels = { network: service.network.id, upstream: upstream.spec.name }
  const { reason } = outcome
  service.telemetry.log('warn', 'block_parts_disagree', { ...labels, number: ref.number, reason })
  service.telemetry.count('headgate_block_disagreements_total', labels)
}

function found(search: Search, block: Block): void {
  search.over = true
  search.found.resolve(block)
}

function failureOf({ tally, ref, busy }: Search): Failure {
  const { number } = ref
  if (tally.reason !== null) {
    return new Failure('upstream_answered_badly', { number, reason: tally.reason })
  }
  if (tally.failure) return tally.failure
  if (tally.unsupported > 0) {
    return new Failure('upstream_answered_badly', { number, reason: UNSUPPORTED })
  }
  return new Failure(busy.size > 0 ? 'upstream_timed_out' : 'upstream_unreachable', { number })
}

function leftMs({ service, deadlineMs }: Search): number {
  return deadlineMs - service.pool.clock.monotonicMs()
}

function anyBusy({ busy }: Search): Promise<unknown> {
  return Promise.race(busy.values())
}

async function pause(search: Search, round: number): Promise<void> {
  const waitMs = Math.min(backoffMs(WAIT_LIMITS, round), leftMs(search))
  if (waitMs > 0) await search.service.pool.clock.sleep(waitMs)
}

async function waitFor(search: Search, wanted: Promise<unknown>, waitMs = READ_MS_MAX) {
  const limitMs = Math.max(0, Math.min(waitMs, leftMs(search)))
  await within(search.service.pool.clock, limitMs, wanted, () => {})
}
