import { expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  isNew,
  type Model,
  modelClaim,
  modelOutcome,
  modelReady,
} from '../../../tests/support/delivery-model.ts'
import {
  LEASE_MS,
  NOW_MS,
  nextEvent,
  outcomeOf,
  rowOf,
} from '../../../tests/support/delivery-store.ts'
import { type Chance, seededChance } from '../../../tests/support/seeded-chance.ts'
import {
  addWebhooks,
  insertTeams,
  TEAM_A,
  webhookCalled,
} from '../../../tests/support/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { pauseTeamOverLimit } from '../usage/capacity-pause.ts'
import { changeWebhook, deleteWebhook } from '../webhooks/webhooks.ts'
import {
  claimDeliveries,
  readyDeliveries,
  waitingWebhooks,
  webhooksDueBetween,
} from './delivery-claims.ts'
import { listDeliveryPage, resendDelivery } from './delivery-log.ts'
import { type AttemptOutcome, writeOutcomes } from './delivery-outcomes.ts'

const STEPS = 150
const WEBHOOKS = ['wh_1', 'wh_2', 'wh_3', 'wh_4']
const LANES = ['first', 'retry', 'ordered', 'errors'] as const
const MANY = 1_000

type Run = {
  db: Database
  chance: Chance
  model: Model
  nowMs: number
  /** Claims that someone believes to hold, rightly or not. */
  claims: { id: string; lease: string; attemptsMade: number; part: number | null }[]
  leases: number
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'whatever happens to deliveries, what is ready is what a naive reading says (%d)',
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
  const webhooks: Model['webhooks'] = new Map(WEBHOOKS.map((id) => [id, 'active']))
  const model = { webhooks, deliveries: new Map() }
  return { db, chance: seededChance(seed), model, nowMs: NOW_MS, claims: [], leases: 0 }
}

async function happenBlock({ db, chance, model, nowMs }: Run): Promise<void> {
  const wanted = WEBHOOKS.filter(() => chance.fraction() < 0.8)
  const ids = await nextEvent(db, wanted, { atMs: nowMs })
  for (const [at, id] of ids.entries()) {
    const webhookId = wanted[at] ?? ''
    if (model.webhooks.get(webhookId) !== 'active') continue
    const { sequence_number } = await rowOf(db, id)
    const plain = { state: 'waiting', attemptsMade: 0, again: false, lease: null } as const
    const sequenceNumber = Number(sequence_number)
    const one = { ...plain, id, webhookId, sequenceNumber, dueAtMs: nowMs, leaseUntilMs: 0 }
    model.deliveries.set(id, one)
  }
}

async function passTime(run: Run): Promise<void> {
  run.nowMs += run.chance.pick([1, 500, LEASE_MS, 60_000])
}

async function takeSome(run: Run): Promise<void> {
  const { db, chance, model, nowMs } = run
  const webhookId = chance.pick(WEBHOOKS)
  const question = { nowMs, limit: chance.between(1, 6), lane: chance.pick(LANES) }
  const ready = (await readyDeliveries(db, webhookId, question)).map(({ id }) => id)
  // Somebody may have read it before something happened to it.
  const stale = [...model.deliveries.keys()].filter(() => chance.fraction() < 0.05)
  const ids = [...new Set([...ready, ...stale])]
  const lease = `lease-${run.leases++}`
  const claimed = await claimDeliveries(db, ids, lease, nowMs, nowMs + LEASE_MS)
  const ours = new Set(claimed.keys())
  expect(ours).toEqual(modelClaim(model, ids, lease, nowMs, nowMs + LEASE_MS))
  for (const id of ready) expect(ours).toContain(id)
  for (const [id, { attemptsMade, part }] of claimed) {
    run.claims.push({ id, lease, attemptsMade, part })
  }
}

async function endSome(run: Run): Promise<void> {
  const { db, chance, model, nowMs } = run
  const outcomes = new Map<string, AttemptOutcome>()
  const left: Run['claims'] = []
  for (const claim of run.claims) {
    if (chance.fraction() < 0.5 || outcomes.has(claim.id)) {
      left.push(claim)
      continue
    }
    const dueAtMs = nowMs + chance.pick([0, 1_000, 15_000])
    const kind = chance.pick(['delivered', 'retry', 'retry', 'failed', 'released'] as const)
    const { id, lease, attemptsMade, part } = claim
    outcomes.set(id, outcomeOf(id, lease, { next: { kind, dueAtMs }, attemptsMade, part }))
  }
  run.claims = left
  const held = await writeOutcomes(db, [...outcomes.values()])
  const expected = [...outcomes.values()].filter((one) => modelOutcome(model, one))
  expect(held).toEqual(new Set(expected.map(({ id }) => id)))
}

async function turnOnOrOff({ db, chance, model }: Run): Promise<void> {
  const id = chance.pick(WEBHOOKS)
  if (model.webhooks.get(id) === 'deleted') return
  const standing = chance.pick([
    { state: 'active', reason: null },
    { state: 'active', reason: null },
    { state: 'paused', reason: 'MANUAL' },
  ] as const)
  await changeWebhook(db, TEAM_A, id, { standing })
  model.webhooks.set(id, standing.state)
}

async function useUpMonth({ db, chance, model, nowMs }: Run): Promise<void> {
  if (chance.fraction() < 0.7) return
  const active = WEBHOOKS.filter((id) => model.webhooks.get(id) === 'active')
  const paused = await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs })
  expect(paused.toSorted()).toEqual(active)
  for (const webhookId of paused) {
    model.webhooks.set(webhookId, 'paused')
    const listed = await listDeliveryPage(db, TEAM_A, { webhookId, limit: MANY })
    const news = listed.filter(({ kind, id }) => kind === 'error' && !model.deliveries.has(id))
    // One that waits to say the same is not repeated.
    const isSaid = modelHasError(model, webhookId)
    expect(news).toHaveLength(isSaid ? 0 : 1)
    if (isSaid) continue
    const id = news[0]?.id ?? ''
    const plain = { state: 'waiting', attemptsMade: 0, again: false, lease: null } as const
    const one = { ...plain, id, webhookId, sequenceNumber: null, dueAtMs: nowMs, leaseUntilMs: 0 }
    model.deliveries.set(id, one)
  }
}

async function deleteOne({ db, chance, model }: Run): Promise<void> {
  if (chance.fraction() < 0.9) return
  const webhookId = chance.pick(WEBHOOKS.slice(2))
  await deleteWebhook(db, TEAM_A, webhookId)
  model.webhooks.set(webhookId, 'deleted')
  for (const one of model.deliveries.values()) {
    const isUndelivered = one.state === 'waiting' || one.state === 'failed'
    if (one.webhookId === webhookId && isUndelivered) one.state = 'cancelled'
  }
}

function modelHasError({ deliveries }: Run['model'], webhookId: string): boolean {
  return [...deliveries.values()].some(
    (one) => one.webhookId === webhookId && one.sequenceNumber === null && one.state === 'waiting',
  )
}

async function resendOne({ db, chance, model, nowMs }: Run): Promise<void> {
  if (model.deliveries.size === 0) return
  const one = chance.pick([...model.deliveries.values()])
  const ended = await resendDelivery(db, TEAM_A, one.id, nowMs)
  if (model.webhooks.get(one.webhookId) === 'deleted') return expect(ended).toBe('gone')
  if (one.state === 'waiting') return expect(ended).toBe('waiting')
  expect(ended).toBe('resent')
  const renewed = { state: 'waiting', dueAtMs: nowMs, attemptsMade: 0, again: true } as const
  Object.assign(one, renewed, { lease: null, leaseUntilMs: 0 })
}

const DEEDS: readonly ((run: Run) => Promise<void>)[] = [
  happenBlock,
  happenBlock,
  passTime,
  passTime,
  takeSome,
  takeSome,
  endSome,
  endSome,
  turnOnOrOff,
  useUpMonth,
  deleteOne,
  resendOne,
]

async function compareAll({ db, model, nowMs }: Run): Promise<void> {
  for (const webhookId of WEBHOOKS) {
    for (const lane of LANES) {
      const ready = await readyDeliveries(db, webhookId, { nowMs, limit: MANY, lane })
      const expected = modelReady(model, webhookId, lane, nowMs)
      const ids = ready.map(({ id }) => id)
      // Those that became due in the same moment come in any order.
      const dues = (list: readonly string[]) => list.map((id) => model.deliveries.get(id)?.dueAtMs)
      if (lane === 'retry') expect(dues(ids)).toEqual(dues(expected))
      if (lane === 'first') expect(ids).toEqual(expected)
      expect(ids.toSorted()).toEqual(expected.toSorted())
    }
  }
  const waiting = [...model.deliveries.values()].filter(({ state }) => state === 'waiting')
  const webhooksOf = (some: typeof waiting) => [...new Set(some.map((one) => one.webhookId))].sort()
  expect(await waitingWebhooks(db, null, MANY)).toEqual(webhooksOf(waiting))
  // What is new waits for no moment.
  const due = waiting.filter(
    (one) => !isNew(one) && one.dueAtMs > nowMs - 1_000 && one.dueAtMs <= nowMs,
  )
  const found = await webhooksDueBetween(db, nowMs - 1_000, nowMs)
  expect(found.toSorted()).toEqual(webhooksOf(due))
}
