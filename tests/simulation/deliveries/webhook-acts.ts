import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  type StandingRules,
} from '../../../src/tables/webhooks/webhooks.ts'
import { webhookCalled } from '../../support/deliveries/webhook-store.ts'
import { NETWORK } from '../sim-store.ts'
import { type Act, type ActNeeds, newSecret, pick, pickWebhook } from './customer-act.ts'
import { OFFICE, wallOf } from './delivery-run.ts'
import { PUBLIC_URL } from './judges/judge-pauses.ts'
import { sealed } from './sim-keys.ts'

const SLOTS_MAX = 1_000
const OVERLAPS_MS = [0, 3_000, 30_000]

export const create: Act = async (needs) => {
  const { run, chance, database } = needs
  const { book, plan, trace } = run
  const id = `wh_${book.webhooks.size}`
  const webhook = webhookCalled(id, {
    network: NETWORK,
    teamId: chance.pick(plan.teams).id,
    appId: chance.pick([null, 'app_1']),
    url: urlOf(needs, id),
    ordered: chance.fraction() < plan.orderedRate,
  })
  const rules = rulesFor(needs, id)
  await createWebhook(database, webhook, newKey(needs), SLOTS_MAX, rules ? { rules } : {})
  trace.note(OFFICE, 'creates', id, webhook.teamId, webhook.url, webhook.ordered ? 'ordered' : '')
}

export const pauseOrResume: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, state, team_id } = webhook.row
  const standing =
    state === 'active'
      ? ({ state: 'paused', reason: 'MANUAL' } as const)
      : ({ state: 'active', reason: null } as const)
  await changeWebhook(needs.database, team_id, id, { standing }, rulesFor(needs, id))
  needs.changed(id)
}

export const resume: Act = async (needs) => {
  const { book } = needs.run
  const paused = [...book.webhooks.values()].filter(({ row }) => row.state === 'paused')
  const { id, team_id } = pick(needs.chance, paused)?.row ?? {}
  if (!id || !team_id) return
  const standing = { state: 'active', reason: null } as const
  await changeWebhook(needs.database, team_id, id, { standing }, rulesFor(needs, id))
  needs.changed(id)
}

export const rotate: Act = async (needs) => {
  const { run, chance, database, changed } = needs
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, team_id } = webhook.row
  const previousUntilMs = wallOf(run, OFFICE) + chance.pick(OVERLAPS_MS)
  const newKeySealed = newKey(needs)
  await changeWebhook(database, team_id, id, { newKey: { sealed: newKeySealed, previousUntilMs } })
  run.trace.note(OFFICE, 'rotates the key of', id)
  changed(id)
}

export const remove: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook || needs.chance.fraction() < 0.5) return
  const { id, team_id } = webhook.row
  await deleteWebhook(needs.database, team_id, id)
  needs.changed(id)
}

export const reorder: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, team_id, ordered } = webhook.row
  await changeWebhook(needs.database, team_id, id, { ordered: !ordered })
  needs.run.trace.note(OFFICE, ordered ? 'frees the order of' : 'orders', id)
  needs.changed(id)
}

export const move: Act = async (needs) => {
  const webhook = pickWebhook(needs)
  if (!webhook) return
  const { id, team_id } = webhook.row
  await changeWebhook(needs.database, team_id, id, { url: urlOf(needs, id) })
  needs.run.trace.note(OFFICE, 'moves', id)
  needs.changed(id)
}

/**
 * As the management API asks, for every other webhook. The others are made active although the
 * month is used up, as by a process that has not heard of it, and couriers pause them.
 */
function rulesFor({ run }: ActNeeds, id: string): StandingRules | undefined {
  const isRuled = Number(id.slice('wh_'.length)) % 2 === 0
  const { tiers } = run.plan
  return isRuled ? { tiers, publicUrl: PUBLIC_URL, nowMs: wallOf(run, OFFICE) } : undefined
}

function urlOf({ run, chance }: ActNeeds, id: string): string {
  return `https://${chance.pick(run.plan.hosts).name}/${id}`
}

function newKey({ chance }: ActNeeds): string {
  return sealed(`whsec_${newSecret(chance)}`)
}
