import type { Database } from '../../../src/ports/database.ts'
import { resendDelivery } from '../../../src/tables/delivery-log.ts'
import { createReplay, recordReplayStep } from '../../../src/tables/replays.ts'
import { changeTeam, insertTeam } from '../../../src/tables/teams.ts'
import { recordUsage } from '../../../src/tables/usage.ts'
import { changeWebhook, createWebhook, deleteWebhook } from '../../../src/tables/webhooks.ts'
import type { Chance } from '../../support/seeded-chance.ts'
import { webhookCalled } from '../../support/webhook-store.ts'
import { NETWORK } from '../sim-store.ts'
import type { BookedWebhook } from './book.ts'
import { type DeliveryRun, OFFICE, wallOf } from './delivery-run.ts'
import { type EventSource, resultOf } from './event-source.ts'
import { sealed } from './judge-posts.ts'

type Needs = {
  run: DeliveryRun
  chance: Chance
  database: Database
  source: EventSource
  /** Tells the couriers that something of a webhook was changed. */
  changed(webhookId: string): void
}

type Act = (needs: Needs) => Promise<void>

export type Office = {
  /** Customers change their minds at random moments from now on, until it is time to end. */
  begin(endMs: number): void
  /** Whether all that was wanted has been done; the store may have been slow. */
  isDone(): boolean
}

const SLOTS_MAX = 1_000
const OVERLAPS_MS = [0, 3_000, 30_000]
const BUSY_TRIES_MAX = 5
const BUSY_WAIT_MS = 1_000
const KEY_DIGITS = 32

/** Who has webhooks, and the operator. */
export function openOffice(needs: Needs): Office {
  const { run, chance, database } = needs
  const { clock, plan } = run
  let turn: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => {
    turn = turn.then(work)
    return turn
  }
  const prepare = async () => {
    for (const team of plan.teams) {
      await database.transaction((tx) => insertTeam(tx, { ...team, name: team.id, createdAtMs: 1 }))
    }
    for (let made = 0; made < plan.webhooks; made++) await create(needs)
  }
  clock.settle(inTurn(prepare), 0)
  let undone = 0
  const act = async (work: Act) => {
    await work(needs)
    undone -= 1
  }
  return {
    isDone: () => undone === 0,
    begin(endMs) {
      const acts = plan.restless ? [...USUAL_ACTS, ...RESTLESS_ACTS] : USUAL_ACTS
      for (let change = 0; change < plan.changes; change++) {
        const atMs = Math.floor(chance.fraction() * endMs)
        undone += 1
        clock.after(atMs, () => void inTurn(() => act(chance.pick(acts))))
      }
    },
  }
}

const create: Act = async ({ run, chance, database }) => {
  const { book, plan, trace } = run
  const id = `wh_${book.webhooks.size}`
  const webhook = webhookCalled(id, {
    network: NETWORK,
    teamId: chance.pick(plan.teams).id,
    appId: chance.pick([null, 'app_1']),
    url: urlOf(run, chance, id),
    ordered: chance.fraction() < plan.orderedRate,
  })
  await createWebhook(database, webhook, sealed(newKey(chance)), SLOTS_MAX)
  trace.note(OFFICE, 'creates', id, webhook.teamId, webhook.url, webhook.ordered ? 'ordered' : '')
}

const pauseOrResume: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, state, team_id } = webhook.row
  const standing =
    state === 'active'
      ? ({ state: 'paused', reason: 'MANUAL' } as const)
      : ({ state: 'active', reason: null } as const)
  await changeWebhook(needs.database, team_id, id, { standing })
  needs.changed(id)
}

const resume: Act = async (needs) => {
  const { book } = needs.run
  const paused = [...book.webhooks.values()].filter(({ row }) => row.state === 'paused')
  const { id, team_id } = pick(needs.chance, paused)?.row ?? {}
  if (!id || !team_id) return
  const standing = { state: 'active', reason: null } as const
  await changeWebhook(needs.database, team_id, id, { standing })
  needs.changed(id)
}

const rotate: Act = async (needs) => {
  const { run, chance, database, changed } = needs
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, team_id } = webhook.row
  const previousUntilMs = wallOf(run, OFFICE) + chance.pick(OVERLAPS_MS)
  const newKeySealed = sealed(newKey(chance))
  await changeWebhook(database, team_id, id, { newKey: { sealed: newKeySealed, previousUntilMs } })
  run.trace.note(OFFICE, 'rotates the key of', id)
  changed(id)
}

const remove: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook || needs.chance.fraction() < 0.5) return
  const { id, team_id } = webhook.row
  await deleteWebhook(needs.database, team_id, id)
  needs.changed(id)
}

const changeTier: Act = async ({ run, chance, database }) => {
  const { id } = chance.pick(run.plan.teams)
  const tier = chance.pick([...run.plan.tiers.keys()])
  const autoscaling = chance.fraction() < 0.2
  await database.transaction((tx) => changeTeam(tx, id, { tier, autoscaling }))
  run.trace.note(OFFICE, 'makes', id, tier, autoscaling ? 'autoscaling' : '')
}

const call: Act = async ({ run, chance, database }) => {
  const wall = wallOf(run, OFFICE)
  const { id: teamId } = chance.pick(run.plan.teams)
  const centiCu = chance.between(1, 20_000)
  const hourMs = wall - (wall % 3_600_000)
  const method = 'eth_call'
  const row = {
    teamId,
    appId: 'app_1',
    network: NETWORK,
    method,
    hourMs,
    calls: 1,
    centiCu,
    bytes: 0,
  }
  await recordUsage(database, { writer: OFFICE, sequence: wall, atMs: wall, rows: [row] })
  run.trace.note(OFFICE, 'lets', teamId, 'call for', centiCu)
}

const reorder: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, team_id, ordered } = webhook.row
  await changeWebhook(needs.database, team_id, id, { ordered: !ordered })
  needs.run.trace.note(OFFICE, ordered ? 'frees the order of' : 'orders', id)
  needs.changed(id)
}

const move: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, team_id } = webhook.row
  await changeWebhook(needs.database, team_id, id, { url: urlOf(needs.run, needs.chance, id) })
  needs.run.trace.note(OFFICE, 'moves', id)
  needs.changed(id)
}

const resend: Act = async ({ run, chance, database, changed }) => {
  const all = [...run.book.deliveries.values()].filter(({ row }) => row.state !== 'waiting')
  const row = pick(chance, all)?.row
  if (!row) return
  const done = await resendDelivery(database, row.team_id, row.id, wallOf(run, OFFICE))
  run.trace.note(OFFICE, 'resends', row.id, done)
  changed(row.webhook_id)
}

const replay: Act = async (needs) => {
  const { run, chance, database, source, changed } = needs
  const webhook = pickWebhook(needs)
  const block = pick(chance, source.blocks)
  if (!webhook || !block) return
  const { id: webhookId, team_id: teamId } = webhook.row
  const { number: blockNumber, hash: blockHash, sequenceNumber } = block
  const id = `rpl_${webhookId}_${run.clock.elapsedMs()}`
  const span = { fromBlock: blockNumber, toBlock: blockNumber, createdAtMs: wallOf(run, OFFICE) }
  const isNew = await createReplay(database, { id, teamId, webhookId, network: NETWORK, ...span })
  if (!isNew) return
  const due = resultOf(chance, blockNumber, id)
  run.recording.set(OFFICE, [{ ...due, webhookIds: [webhookId] }])
  const what = { replayId: id, webhookId, network: NETWORK, blockNumber, blockHash, sequenceNumber }
  for (let tries = 0; tries < BUSY_TRIES_MAX; tries++) {
    const done = await recordReplayStep(database, { ...what, due, atMs: wallOf(run, OFFICE) })
    run.trace.note(OFFICE, 'replays', blockNumber, 'to', webhookId, done)
    changed(webhookId)
    if (done !== 'busy') return
    await new Promise<void>((resolve) => void run.clock.after(BUSY_WAIT_MS, resolve))
  }
}

const USUAL_ACTS: readonly Act[] = [
  create,
  pauseOrResume,
  pauseOrResume,
  pauseOrResume,
  resume,
  resume,
  rotate,
  rotate,
  remove,
  changeTier,
  call,
]
const RESTLESS_ACTS: readonly Act[] = [reorder, move, resend, resend, replay, replay]

function pickWebhook({ run, chance }: Needs): BookedWebhook | undefined {
  const all = [...run.book.webhooks.values()]
  return pick(
    chance,
    all.filter(({ row }) => row.state !== 'deleted'),
  )
}

function pick<T>(chance: Chance, choices: readonly T[]): T | undefined {
  return choices.length === 0 ? undefined : chance.pick(choices)
}

function urlOf({ plan }: DeliveryRun, chance: Chance, id: string): string {
  return `https://${chance.pick(plan.hosts).name}/${id}`
}

function newKey(chance: Chance): string {
  const digits = Array.from({ length: KEY_DIGITS }, () => chance.between(0, 35).toString(36))
  return `whsec_${digits.join('')}`
}
