import { assert } from '../../core/errors.ts'
import type { Delivery, Lane } from '../../tables/deliveries/delivery.ts'
import {
  isUsedUp,
  type Load,
  outboxQuestion,
  type PrefetchBudget,
  type StoredLane,
  storedLanes,
} from './outbox-question.ts'

/**
 * The deliveries that one webhook has to send, as far as its owner knows: everybody reads it, and
 * only this module writes it. The outbox remembers all of it, so whatever is here may be forgotten.
 */
export type WebhookQueue = {
  /** Nothing goes out while it is suspended; only errors go out while it is paused. */
  readonly mode: 'suspended' | 'active' | 'paused'
  /** One delivery after the other, retries included. */
  readonly isOrdered: boolean
  /** Slots that it holds: attempts in flight, and those whose deliveries are being loaded. */
  readonly slots: number
  /** Events whose attempt has started and whose outcome will be committed, but is not yet. */
  readonly unsettled: ReadonlySet<number>
}

type State = {
  mode: WebhookQueue['mode']
  isOrdered: boolean
  slots: number
  unsettled: Set<number>
  /** Attempts from before it was abandoned are still in flight, of deliveries not known here. */
  isAbandoned: boolean
  /** New deliveries in order: all that the outbox has between the last started and the tail. */
  prefetched: Delivery[]
  /** The newest delivery that was prefetched, where all before it were too. */
  tail: { event: number; sequenceNumber: number | null } | null
  /** The newest delivery that the last sweep has seen in the outbox. */
  newestSwept: number
  /** The outbox may have something that is not here. */
  mayHave: Record<StoredLane, boolean>
  loads: Record<Lane, Load | null>
  budget: PrefetchBudget
}

const LANES: readonly Lane[] = ['new', 'retry', 'ordered', 'error']

/** A webhook that is further behind is read from the outbox again. */
const PREFETCHED_MAX = 96

/** Nothing is known of it yet, so the outbox may have anything. */
export function newWebhookQueue(budget: PrefetchBudget): WebhookQueue {
  return {
    mode: 'suspended',
    isOrdered: false,
    slots: 0,
    unsettled: new Set(),
    isAbandoned: false,
    prefetched: [],
    tail: null,
    newestSwept: 0,
    mayHave: { new: true, retry: true, error: true },
    loads: { new: null, retry: null, ordered: null, error: null },
    budget,
  } as State
}

/** Nothing starts until the webhook's settings are known again. */
export function suspend(queue: WebhookQueue): void {
  stateOf(queue).mode = 'suspended'
}

/** The webhook's settings are these now. What was prefetched may have been cancelled since. */
export function configure(
  queue: WebhookQueue,
  { isActive, isOrdered }: { isActive: boolean; isOrdered: boolean },
): void {
  const state = stateOf(queue)
  forgetData(state)
  state.mode = isActive ? 'active' : 'paused'
  state.isOrdered = isOrdered
}

/** Paused before the store has heard so. */
export function pauseNow(queue: WebhookQueue): void {
  if (queue.mode === 'active') stateOf(queue).mode = 'paused'
}

/** Gives up everything that has not started; what is on its way from the store is dropped too. */
export function forget(queue: WebhookQueue): void {
  const state = stateOf(queue)
  forgetData(state)
  state.loads.error = null
  state.mayHave.error = true
}

/**
 * No outcome of what is in flight will be committed. Its slots are taken until it ends, and nothing
 * starts before: else a delivery could be sent twice at once, or be overtaken.
 */
export function abandon(queue: WebhookQueue): void {
  const state = stateOf(queue)
  forget(queue)
  state.unsettled.clear()
  state.isAbandoned = state.slots > 0
}

/**
 * A new delivery that was just committed. True when everything before it is here: then it goes
 * out without a look at the outbox, which else will have to be read.
 */
export function offer(queue: WebhookQueue, delivery: Delivery): boolean {
  const state = stateOf(queue)
  const { tail, prefetched, budget } = state
  const { event, previousSequence } = delivery
  // A load was faster: what is committed can be read before we are told of it.
  if (tail !== null && event <= tail.event) return prefetched.some((one) => one.event === event)
  const follows = previousSequence !== null && previousSequence === tail?.sequenceNumber
  const hasRoom = prefetched.length < PREFETCHED_MAX && !isUsedUp(budget)
  // A replay moves a delivery to another lane, from where it may have been started already.
  if (!follows || !hasRoom || state.isOrdered || state.unsettled.has(event)) {
    state.mayHave.new = true
    return false
  }
  prefetch(state, delivery)
  state.tail = delivery
  return true
}

/** The outbox may have something in these lanes. */
export function remind(queue: WebhookQueue, lanes: readonly StoredLane[]): void {
  for (const lane of lanes) stateOf(queue).mayHave[lane] = true
}

/**
 * The outbox has new deliveries up to that event. Those up to the tail are known. We are mostly
 * about to be told of the youngest, so these wait until the next sweep has seen them too, if it
 * comes soon.
 */
export function remindOfNew(queue: WebhookQueue, newest: number, isSweptSoon: boolean): void {
  const state = stateOf(queue)
  const { tail, mayHave, newestSwept } = state
  const known = isSweptSoon ? newestSwept : newest
  if (tail === null || tail.event < known) mayHave.new = true
  state.newestSwept = newest
}

/** Retries are due, perhaps replays of what is prefetched, which is read again then. */
export function remindOfDue(queue: WebhookQueue): void {
  const state = stateOf(queue)
  remind(queue, ['retry', 'error'])
  // A load under way would go on behind what is given up here; the next look finds it ended.
  if (state.loads.new === null) forgetPrefetched(state)
}

/** Something of this lane may start, as far as the queue decides it. */
export function wants(queue: WebhookQueue, lane: Lane): boolean {
  const state = stateOf(queue)
  const { mode, isOrdered, slots, unsettled, mayHave, loads, prefetched } = state
  if (mode === 'suspended' || state.isAbandoned || loads[lane] !== null) return false
  // Nothing may arrive after the error of a pause, so it waits for what is in flight.
  if (lane === 'error') return mayHave.error && (mode === 'active' || slots === 0)
  if (mode === 'paused' || isOrdered !== (lane === 'ordered')) return false
  const isBusy = slots > 0 || unsettled.size > 0
  if (lane === 'ordered') return (mayHave.new || mayHave.retry) && !isBusy
  return lane === 'new' ? prefetched.length > 0 || mayHave.new : mayHave.retry
}

export function nextNew(queue: WebhookQueue): Delivery | undefined {
  return stateOf(queue).prefetched[0]
}

export function beginLoad(queue: WebhookQueue, lane: Lane, slots: number, nowMs: number): Load {
  const state = stateOf(queue)
  assert(state.loads[lane] === null, 'a lane has one load at a time')
  const isPrefetched = lane === 'new' && state.prefetched.length > 0
  const question = isPrefetched ? null : outboxQuestion(state, lane, slots, nowMs)
  const load = { lane, question, found: [], settled: new Set<number>() }
  state.loads[lane] = load
  // Deliveries committed from here on set them again.
  if (question) for (const stored of storedLanes(lane)) state.mayHave[stored] = false
  return load
}

/** Whether loaded deliveries may start: the queue was not told otherwise meanwhile. */
export function mayStart(queue: WebhookQueue, load: Load): boolean {
  const { mode, slots, unsettled, loads } = stateOf(queue)
  if (loads[load.lane] !== load || mode === 'suspended') return false
  const isAlone = slots === 1
  if (load.lane === 'error') return mode === 'active' || isAlone
  return mode === 'active' && (load.lane !== 'ordered' || (isAlone && unsettled.size === 0))
}

export function refill(queue: WebhookQueue, load: Load, rows: readonly Delivery[]): void {
  const [state, { lane, question, found }] = [stateOf(queue), load]
  if (!question || state.loads[lane] !== load) return
  for (const row of rows) {
    const isTaken = wasStarted(queue, load, row)
    if (lane !== 'new') {
      if (!isTaken) found.push(row)
      continue
    }
    // It may have been offered while the outbox was read.
    if (state.tail !== null && row.event <= state.tail.event) continue
    if (!isTaken) prefetch(state, row)
    state.tail = row
  }
  const [first] = storedLanes(lane)
  if (rows.length >= question.limit) state.mayHave[first] = true
}

/** The next deliveries of a load, in order. */
export function loaded(queue: WebhookQueue, { lane, found }: Load): readonly Delivery[] {
  return lane === 'new' ? stateOf(queue).prefetched : found
}

/**
 * An attempt of it started before the load or meanwhile: the store has it waiting until it knows
 * the outcome, and a replay moves a delivery to another lane, which may have been faster.
 */
export function wasStarted(queue: WebhookQueue, load: Load, { event }: Delivery): boolean {
  return queue.unsettled.has(event) || load.settled.has(event)
}

/** The lane is free again; with `again`, the outbox has to be read once more. */
export function endLoad(queue: WebhookQueue, load: Load, again: boolean): void {
  const { loads } = stateOf(queue)
  if (loads[load.lane] !== load) return
  loads[load.lane] = null
  if (again) remind(queue, storedLanes(load.lane))
}

export function started(queue: WebhookQueue, { event }: Delivery): void {
  const { unsettled, prefetched, budget } = stateOf(queue)
  assert(!unsettled.has(event), 'a delivery has one attempt at a time')
  unsettled.add(event)
  // A replay moves a delivery to another lane, and both may have been read.
  const at = prefetched[0]?.event === event ? 0 : prefetched.findIndex((one) => one.event === event)
  if (at >= 0) budget.used -= prefetched.splice(at, 1).length
}

/** Its outcome is committed. With `again`, the outbox may still have it, even before the tail. */
export function settled(queue: WebhookQueue, event: number, again: boolean): void {
  const { unsettled, mayHave, isOrdered, loads } = stateOf(queue)
  unsettled.delete(event)
  for (const lane of LANES) loads[lane]?.settled.add(event)
  // Whatever comes next was not looked for meanwhile.
  if (isOrdered) mayHave.new = true
  if (again) forget(queue)
}

export function moveSlots(queue: WebhookQueue, by: number): void {
  const state = stateOf(queue)
  state.slots += by
  assert(state.slots >= 0, 'a queue gives back the slots it holds')
  if (state.slots === 0) state.isAbandoned = false
}

export function isIdle(queue: WebhookQueue): boolean {
  const { mode, prefetched, mayHave } = stateOf(queue)
  if (mode === 'suspended' || mayHave.error) return false
  return mode === 'paused' || (prefetched.length === 0 && !mayHave.new && !mayHave.retry)
}

/** The one place where the state behind a queue is opened. */
function stateOf(queue: WebhookQueue): State {
  return queue as State
}

function forgetPrefetched(state: State): void {
  state.budget.used -= state.prefetched.length
  state.prefetched = []
  state.tail = null
  state.mayHave.new = true
}

function forgetData(state: State): void {
  const { mayHave, loads } = state
  forgetPrefetched(state)
  mayHave.retry = true
  loads.new = null
  loads.retry = null
  loads.ordered = null
}

function prefetch(state: State, delivery: Delivery): void {
  state.budget.used += 1
  state.prefetched.push(delivery)
}
