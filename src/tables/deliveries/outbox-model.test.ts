import { expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { seedsTo } from '../../../tests/support/basics/each-seed.ts'
import { type Chance, seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import {
  backlogsMiscounted,
  bytesMiscounted,
  listedWrongly,
} from '../../../tests/support/blocks/log-counts.ts'
import {
  isNew,
  type Model,
  type ModelDelivery,
  modelOutcome,
  modelWaiting,
} from '../../../tests/support/deliveries/delivery-model.ts'
import {
  deliveryCalled,
  eventTo,
  NOW_MS,
  outcomeOf,
  settleOutcomes,
} from '../../../tests/support/deliveries/delivery-store.ts'
import {
  listDeliveryPage,
  renewDelivery,
  resendDelivery,
  waitingDeliveries,
  webhooksDueBetween,
  webhooksWaiting,
} from '../../../tests/support/deliveries/delivery-tables.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'

const STEPS = 150
const WEBHOOKS = ['wh_1', 'wh_2', 'wh_3', 'wh_4']
const NUMBERS = [1, 2, 3, 4]
const LANES = ['new', 'retry', 'ordered', 'error'] as const
const MANY = 1_000

type Run = {
  db: Database
  chance: Chance
  model: Model
  nowMs: number
  /** Attempts that were begun with what was read then, whatever has happened since. */
  attempts: Parameters<typeof outcomeOf>[0][]
}

test.each(seedsTo(sized(2, 8)))(
  'whatever happens to deliveries, what waits is what a naive reading says (%d)',
  async (seed) => {
    const run = await begin(seed)
    for (let step = 0; step < STEPS; step++) {
      await run.chance.pick(DEEDS)(run)
      await compareAll(run)
    }
    await run.db.close()
  },
)

async function begin(seed: number): Promise<Run> {
  const db = await freshStore()
  await insertTeams(db)
  await addWebhooks(db, ...WEBHOOKS.map((id) => webhookCalled(id)))
  await db.query(sql`UPDATE listing SET created_max = ${seed * 2}`)
  const webhooks: Model['webhooks'] = new Map(NUMBERS.map((number) => [number, 'active']))
  const model = { webhooks, deliveries: new Map() }
  return { db, chance: seededChance(seed), model, nowMs: NOW_MS, attempts: [] }
}

async function happenBlock({ db, chance, model, nowMs }: Run): Promise<void> {
  const wanted = WEBHOOKS.filter(() => chance.fraction() < 0.8)
  const { deliveries } = await eventTo(db, [wanted], { atMs: nowMs })
  const active = NUMBERS.filter((one) => model.webhooks.get(one) === 'active')
  const expected = active.filter((number) => wanted.includes(`wh_${number}`))
  expect(deliveries.map(({ webhook }) => webhook)).toEqual(expected)
  for (const { id, event, webhook } of deliveries) {
    const plain = { isError: false, state: 'waiting', attemptsMade: 0, version: 0 } as const
    model.deliveries.set(id, { id, event, webhook, dueAtMs: nowMs, ...plain })
  }
}

async function passTime(run: Run): Promise<void> {
  run.nowMs += run.chance.pick([1, 500, 10_000, 60_000])
}

async function beginSome({ db, chance, nowMs, attempts }: Run): Promise<void> {
  const question = { nowMs, limit: chance.between(1, 6), lane: chance.pick(LANES) }
  attempts.push(...(await waitingDeliveries(db, chance.pick(NUMBERS), question)))
}

async function endSome(run: Run): Promise<void> {
  const { db, chance, model, nowMs } = run
  const outcomes: ReturnType<typeof outcomeOf>[] = []
  const left: Run['attempts'] = []
  for (const delivery of run.attempts) {
    if (chance.fraction() < 0.5) {
      left.push(delivery)
      continue
    }
    const dueAtMs = nowMs + chance.pick([0, 1_000, 15_000])
    const kind = chance.pick(['delivered', 'retry', 'retry', 'failed'] as const)
    outcomes.push(outcomeOf(delivery, { next: { kind, dueAtMs } }))
  }
  run.attempts = left
  const held = await settleOutcomes(db, outcomes, nowMs)
  // The store takes them kind by kind: of two outcomes of one delivery the first written counts.
  const order = ['delivered', 'retry', 'failed']
  const places = [...outcomes.keys()].sort(
    (a, b) => order.indexOf(outcomes[a]!.next.kind) - order.indexOf(outcomes[b]!.next.kind),
  )
  const expected = places.filter((at) => modelOutcome(model, outcomes[at]!))
  expect(held).toEqual(new Set(expected))
}

async function turnOnOrOff({ db, chance, model }: Run): Promise<void> {
  const number = chance.pick(NUMBERS)
  if (model.webhooks.get(number) === 'deleted') return
  const standing = chance.pick([
    { state: 'active', reason: null },
    { state: 'active', reason: null },
    { state: 'paused', reason: 'MANUAL' },
  ] as const)
  await changeWebhook(db, TEAM_A, `wh_${number}`, { standing })
  model.webhooks.set(number, standing.state)
}

async function useUpMonth({ db, chance, model, nowMs }: Run): Promise<void> {
  if (chance.fraction() < 0.7) return
  const active = NUMBERS.filter((number) => model.webhooks.get(number) === 'active')
  const paused = await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs })
  expect(paused.toSorted()).toEqual(active)
  for (const webhook of paused) {
    model.webhooks.set(webhook, 'paused')
    const all = await listDeliveryPage(db, TEAM_A, { webhookId: `wh_${webhook}`, limit: MANY })
    const news = all.filter(({ kind, id }) => kind === 'error' && !model.deliveries.has(id))
    // One that waits to say the same is sent anew.
    const errors = [...model.deliveries.values()].filter(
      (one) => one.webhook === webhook && one.isError && one.state === 'waiting',
    )
    const [newest] = errors.sort((a, b) => b.event - a.event)
    expect(news).toHaveLength(newest ? 0 : 1)
    if (newest) sendAnew(newest, nowMs)
    for (const { id, event } of news) {
      const plain = { isError: true, state: 'waiting', attemptsMade: 0, version: 0 } as const
      model.deliveries.set(id, { id, event, webhook, dueAtMs: nowMs, ...plain })
    }
  }
}

async function deleteOne({ db, chance, model }: Run): Promise<void> {
  if (chance.fraction() < 0.9) return
  const webhook = chance.pick(NUMBERS.slice(2))
  await deleteWebhook(db, TEAM_A, `wh_${webhook}`)
  model.webhooks.set(webhook, 'deleted')
  for (const one of model.deliveries.values()) {
    const isUndelivered = one.state === 'waiting' || one.state === 'failed'
    if (one.webhook === webhook && isUndelivered) one.state = 'cancelled'
  }
}

async function resendOne({ db, chance, model, nowMs }: Run): Promise<void> {
  if (model.deliveries.size === 0) return
  const one = chance.pick([...model.deliveries.values()])
  const ended = await resendDelivery(db, TEAM_A, one.id, nowMs)
  if (model.webhooks.get(one.webhook) === 'deleted') return expect(ended).toBe('gone')
  if (one.state === 'waiting') return expect(ended).toBe('waiting')
  expect(ended).toBe('resent')
  sendAnew(one, nowMs)
}

async function replayOne({ db, chance, model, nowMs }: Run): Promise<void> {
  const data = [...model.deliveries.values()].filter(({ isError }) => !isError)
  if (data.length === 0) return
  const one = chance.pick(data)
  if (model.webhooks.get(one.webhook) === 'deleted') return
  const found = await deliveryCalled(db, one.id)
  const due = { data: 'x'.repeat(chance.between(1, 90)), bytes: 0, truncation: null }
  const renewal = {
    teamId: TEAM_A,
    webhook: one.webhook,
    network: NETWORK,
    blockNumber: found.blockNumber ?? 0,
    blockHash: found.blockHash ?? '',
    sequenceNumber: found.sequenceNumber ?? 0,
    due: { ...due, bytes: due.data.length },
    atMs: nowMs,
  }
  await db.transaction((tx) => renewDelivery(tx, renewal))
  sendAnew(one, nowMs)
}

function sendAnew(one: ModelDelivery, nowMs: number): void {
  const version = one.version + 1
  Object.assign(one, { state: 'waiting', dueAtMs: nowMs, attemptsMade: 0, version })
}

const DEEDS: readonly ((run: Run) => Promise<void>)[] = [
  happenBlock,
  happenBlock,
  passTime,
  passTime,
  beginSome,
  beginSome,
  endSome,
  endSome,
  turnOnOrOff,
  useUpMonth,
  deleteOne,
  resendOne,
  replayOne,
]

async function compareAll({ db, model, nowMs }: Run): Promise<void> {
  for (const webhook of NUMBERS) {
    for (const lane of LANES) {
      const found = await waitingDeliveries(db, webhook, { nowMs, limit: MANY, lane })
      const expected = modelWaiting(model, webhook, lane, nowMs)
      const ids = found.map(({ id }) => id)
      // Those that became due in the same moment come in any order.
      const dues = (list: readonly string[]) => list.map((id) => model.deliveries.get(id)?.dueAtMs)
      if (lane === 'retry') expect(dues(ids)).toEqual(dues(expected))
      else expect(ids).toEqual(expected)
      expect(ids.toSorted()).toEqual(expected.toSorted())
    }
  }
  const waiting = [...model.deliveries.values()].filter(({ state }) => state === 'waiting')
  const webhooksOf = (some: typeof waiting) => [...new Set(some.map((one) => one.webhook))].sort()
  const withSome = await webhooksWaiting(db, 0, MANY)
  expect(withSome.map(({ webhook }) => webhook)).toEqual(webhooksOf(waiting))
  // What is new waits for no moment.
  const due = waiting.filter(
    (one) => !isNew(one) && one.dueAtMs > nowMs - 1_000 && one.dueAtMs <= nowMs,
  )
  const found = await webhooksDueBetween(db, nowMs - 1_000, nowMs)
  expect(found.toSorted()).toEqual(webhooksOf(due))
  expect(await listedWrongly(db)).toEqual([])
  expect(await bytesMiscounted(db)).toBe(0)
  expect(await backlogsMiscounted(db)).toEqual({})
}
