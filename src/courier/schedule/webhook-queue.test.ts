import { describe, expect, test } from 'bun:test'
import { eachSeed } from '../../../tests/support/basics/each-seed.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { queueModel } from '../../../tests/support/deliveries/queue-model.ts'
import type { Delivery, Lane } from '../../tables/deliveries/delivery.ts'
import type { Load } from './outbox-question.ts'
import {
  beginLoad,
  configure,
  endLoad,
  forget,
  isIdle,
  loaded,
  mayStart,
  moveSlots,
  newWebhookQueue,
  nextNew,
  offer,
  pauseNow,
  refill,
  remind,
  remindOfNew,
  settled,
  started,
  suspend,
  wants,
  wasStarted,
} from './webhook-queue.ts'

const LANES: readonly Lane[] = ['new', 'retry', 'ordered', 'error']
const STORED = ['new', 'retry', 'error'] as const
const SLOTS_MAX = 4

const freshQueue = (isOrdered = false) => {
  const budget = { used: 0 }
  const queue = newWebhookQueue(budget)
  configure(queue, { isActive: true, isOrdered })
  return { queue, budget, model: queueModel() }
}

describe('a new delivery', () => {
  test('goes out from memory when the one before it did', () => {
    const { queue, model } = freshQueue()
    expect(offer(queue, model.commit('data'))).toBe(false)
    const load = beginLoad(queue, 'new', 1, 0)
    refill(queue, load, model.read(load.question ?? raise()))
    endLoad(queue, load, false)
    expect(offer(queue, model.commit('data'))).toBe(true)
    expect(nextNew(queue)?.event).toBe(1)
  })

  test('that follows one we never heard of waits for the outbox to be read', () => {
    const { queue, model } = freshQueue()
    model.commit('data')
    const load = beginLoad(queue, 'new', 1, 0)
    refill(queue, load, model.read(load.question ?? raise()))
    endLoad(queue, load, false)
    model.commit('data')
    expect(offer(queue, model.commit('data'))).toBe(false)
    expect(wants(queue, 'new')).toBe(true)
  })

  test('that was read before we are told of it is known, and nothing more is read', () => {
    const { queue, model } = freshQueue()
    const early = model.commit('data')
    const load = beginLoad(queue, 'new', 1, 0)
    refill(queue, load, model.read(load.question ?? raise()))
    endLoad(queue, load, false)
    expect(offer(queue, early)).toBe(true)
    started(queue, nextNew(queue) ?? raise())
    expect(offer(queue, early)).toBe(false)
    expect(wants(queue, 'new')).toBe(false)
  })

  test('that was replayed and started before we are told of it is not started again', () => {
    const { queue, model } = freshQueue()
    model.commit('data')
    const load = beginLoad(queue, 'new', 1, 0)
    refill(queue, load, model.read(load.question ?? raise()))
    endLoad(queue, load, false)
    started(queue, nextNew(queue) ?? raise())
    const late = model.commit('data')
    started(queue, late)
    expect(offer(queue, late)).toBe(false)
    expect(nextNew(queue)).toBeUndefined()
  })

  test('that nobody told us of is read when a second sweep sees it, or the first if none is near', () => {
    const { queue, model } = freshQueue()
    const { event } = model.commit('data')
    const load = beginLoad(queue, 'new', 1, 0)
    refill(queue, load, model.read(load.question ?? raise()))
    endLoad(queue, load, false)
    started(queue, nextNew(queue) ?? raise())
    remindOfNew(queue, event, false)
    expect(wants(queue, 'new')).toBe(false)
    const untold = model.commit('data')
    remindOfNew(queue, untold.event, true)
    expect(wants(queue, 'new')).toBe(false)
    remindOfNew(queue, untold.event, true)
    expect(wants(queue, 'new')).toBe(true)
    endLoad(queue, beginLoad(queue, 'new', 1, 0), false)
    remindOfNew(queue, untold.event + 1, false)
    expect(wants(queue, 'new')).toBe(true)
  })

  test('that comes while the outbox is read is there once', () => {
    const { queue, model } = freshQueue()
    const first = beginLoad(queue, 'new', 1, 0)
    model.commit('data')
    refill(queue, first, model.read(first.question ?? raise()))
    endLoad(queue, first, false)
    started(queue, nextNew(queue) ?? raise())
    remind(queue, ['new'])
    const second = beginLoad(queue, 'new', 1, 0)
    expect(offer(queue, model.commit('data'))).toBe(true)
    refill(queue, second, model.read(second.question ?? raise()))
    expect(loaded(queue, second).map(({ event }) => event)).toEqual([2])
  })
})

test('a queue that is forgotten holds nothing, and what was being loaded for it is dropped', () => {
  const { queue, budget, model } = freshQueue()
  model.commit('data')
  const load = beginLoad(queue, 'new', 1, 0)
  refill(queue, load, model.read(load.question ?? raise()))
  expect(budget.used).toBe(1)
  forget(queue)
  expect(budget.used).toBe(0)
  expect(mayStart(queue, load)).toBe(false)
  expect(wants(queue, 'new')).toBe(true)
})

test('a queue with nothing to send is idle once the outbox was found empty', () => {
  const { queue, model } = freshQueue()
  expect(isIdle(queue)).toBe(false)
  for (const lane of STORED) {
    const load = beginLoad(queue, lane, 1, 0)
    refill(queue, load, model.read(load.question ?? raise()))
    endLoad(queue, load, false)
  }
  expect(isIdle(queue)).toBe(true)
})

test('every order of things keeps the promises', () => eachSeed(60, wander))

type Attempt = { delivery: Delivery; lane: Lane }

/** Hundreds of random steps against the model; every start is judged. */
function wander(seed: number): void {
  const chance = seededChance(seed)
  const { queue, budget, model } = freshQueue(chance.fraction() < 0.3)
  const loads: { load: Load; rows: Delivery[] | null; readAt: number; slots: number }[] = []
  const inFlight: Attempt[] = []
  const ended: Attempt[] = []
  let nowMs = 0
  let lastFirst = 0
  /** When an older one was last sent anew by hand, and when the outbox was read. */
  let renewedAt = 0
  let step = 0

  const start = (delivery: Delivery, lane: Lane, readAt = step) => {
    judgeStart(delivery, lane, readAt)
    started(queue, delivery)
    inFlight.push({ delivery, lane })
  }
  const judgeStart = ({ event }: Delivery, lane: Lane, readAt: number) => {
    const others = inFlight.map(({ delivery }) => delivery.event)
    expect(queue.unsettled.has(event)).toBe(false)
    expect(model.all.get(event)?.state).toBe('waiting')
    if (lane === 'error') return void (queue.mode === 'paused' && expect(others).toEqual([]))
    expect(queue.mode).toBe('active')
    if (lane === 'ordered') {
      expect(queue.unsettled.size).toBe(0)
      const isAsRead = model.isActive() && renewedAt < readAt
      if (isAsRead) expect(event).toBe(Math.min(...model.waitingIn('new', 'retry')))
      return
    }
    if (lane !== 'new') return
    const before = model.waitingIn('new').filter((one) => one < event)
    expect(before.filter((one) => !queue.unsettled.has(one))).toEqual([])
    expect(event).toBeGreaterThan(lastFirst)
    lastFirst = event
  }

  const acts = {
    commit() {
      const delivery = model.isActive() ? model.commit('data') : null
      const heard = chance.fraction()
      if (delivery && heard < 0.7) offer(queue, delivery)
      else if (heard < 0.85) remind(queue, ['new'])
    },
    sweep: () => remind(queue, STORED),
    startAtHand() {
      const next = nextNew(queue)
      if (!next || !wants(queue, 'new') || queue.slots >= SLOTS_MAX) return
      moveSlots(queue, 1)
      start(next, 'new')
    },
    load() {
      const lane = chance.pick(LANES)
      if (!wants(queue, lane) || queue.slots >= SLOTS_MAX) return
      const single = lane === 'ordered' || lane === 'error'
      const slots = single ? 1 : chance.between(1, SLOTS_MAX - queue.slots)
      moveSlots(queue, slots)
      loads.push({ load: beginLoad(queue, lane, slots, nowMs), rows: null, readAt: 0, slots })
    },
    goOn() {
      const at = chance.between(0, loads.length - 1)
      const one = loads[at]
      if (!one) return
      const { load } = one
      if (!one.rows) {
        one.readAt = step
        one.rows = load.question ? model.read(load.question) : []
        if (load.lane === 'error' && one.rows.length > 0) learn()
        return
      }
      loads.splice(at, 1)
      refill(queue, load, one.rows)
      endOf(load, one.slots, one.readAt)
    },
    end() {
      const [attempt] = inFlight.splice(chance.between(0, inFlight.length - 1), 1)
      if (!attempt) return
      ended.push(attempt)
      moveSlots(queue, -1)
    },
    settle() {
      const [attempt] = ended.splice(chance.between(0, ended.length - 1), 1)
      if (!attempt) return
      const dueAtMs = nowMs + chance.between(0, 5)
      const counts = model.settle(
        attempt.delivery,
        chance.fraction() < 0.6 ? 'delivered' : { dueAtMs },
      )
      settled(queue, attempt.delivery.event, !counts || dueAtMs <= nowMs)
    },
    renew() {
      if (chance.fraction() < 0.2 && model.all.size > 0) {
        renewedAt = step
        model.renew(chance.between(1, model.all.size), nowMs)
      }
    },
    change() {
      if (chance.fraction() < 0.7) return
      model.setActive(chance.fraction() < 0.6)
      if (!model.isActive() && chance.fraction() < 0.5) model.commit('error')
      if (chance.fraction() < 0.5) suspend(queue)
    },
    learn: () => chance.fraction() < 0.3 && learn(),
    pauseNow: () => chance.fraction() < 0.05 && pauseNow(queue),
    forget: () => chance.fraction() < 0.05 && forget(queue),
    time: () => (nowMs += 1),
  }

  /** The settings are read. */
  const learn = () => {
    const isOrdered = chance.fraction() < 0.1 ? !queue.isOrdered : queue.isOrdered
    configure(queue, { isActive: model.isActive(), isOrdered })
  }
  const endOf = (load: Load, slots: number, readAt: number) => {
    const some = loaded(queue, load).slice(0, slots)
    const may = mayStart(queue, load)
    let used = 0
    for (const delivery of may ? some : []) {
      if (wasStarted(queue, load, delivery)) continue
      start(delivery, load.lane, readAt)
      used += 1
    }
    endLoad(queue, load, !may || load.found.length > some.length)
    moveSlots(queue, used - slots)
  }

  const names = Object.keys(acts) as (keyof typeof acts)[]
  for (; step < 600; step++) acts[chance.pick(names)]()
  expect(budget.used).toBeGreaterThanOrEqual(0)

  model.setActive(true)
  learn()
  const last = ['time', 'sweep', 'startAtHand', 'load', 'load', 'goOn', 'goOn', 'end', 'settle']
  const waiting = () => model.waitingIn('new', 'retry', 'error').length
  for (; step < 40_000 && waiting() > 0; step++) {
    acts[chance.pick(last) as keyof typeof acts]()
  }
  expect(waiting()).toBe(0)
  forget(queue)
  expect(budget.used).toBe(0)
}

function raise(): never {
  throw new Error('it was there')
}
