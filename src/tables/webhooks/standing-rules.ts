import type { Tier } from '../../core/billing/plan.ts'
import { backlogLevel, isFull } from '../../core/delivery/backlog.ts'
import { backlogMessage, capacityMessage } from '../../core/delivery/envelope.ts'
import type { Webhook } from '../../core/delivery/webhook.ts'
import type { Database, Transaction } from '../../ports/database.ts'
import { backlogOf, setDraining } from '../deliveries/team-backlogs.ts'
import { isOverLimit } from '../usage/capacity-pause.ts'
import { commitErrors, type Pause, pauseTeam } from './pause-webhooks.ts'

export type StandingRules = {
  tiers: ReadonlyMap<string, Tier>
  /** Where teams are sent that have used up what they may. */
  publicUrl: string
  nowMs: number
}

/** Why a webhook is paused instead of active, asked in the same transaction; null: it is not. */
async function pauseInstead(
  tx: Database,
  teamId: string,
  which: 'new' | 'unpaused',
  { tiers, publicUrl, nowMs }: StandingRules,
): Promise<Pause | null> {
  if (await isOverLimit(tx, teamId, nowMs, tiers)) {
    const message = capacityMessage(publicUrl)
    return { teamId, reason: 'MONTHLY_CAPACITY_EXCEEDED', message, nowMs }
  }
  const { limitBytes, bytes } = await backlogOf(tx, teamId, tiers)
  const level = backlogLevel({ bytes }, limitBytes)
  if (level === 'within') return null
  // A new one has nothing to get rid of, and would only add to it.
  if (which === 'new' || level === 'far_above') return fullPause(teamId, publicUrl, nowMs)
  await setDraining(tx, teamId, true)
  return null
}

/** The webhook that is to be active, or as it is paused instead, with its error event. */
export async function activeOrPaused(
  tx: Transaction,
  { wanted, number }: { wanted: Webhook; number: number },
  which: 'new' | 'unpaused',
  revision: number,
  rules: StandingRules | undefined,
): Promise<Webhook> {
  if (wanted.state !== 'active' || !rules) return wanted
  const pause = await pauseInstead(tx, wanted.teamId, which, rules)
  if (!pause) return wanted
  await commitErrors(tx, [{ number, network: wanted.network }], pause, revision)
  return { ...wanted, state: 'paused', reason: pause.reason }
}

/** Pauses the webhooks of a team with too much undelivered; returns their numbers. */
export function pauseFullBacklog(
  db: Database,
  teamId: string,
  { tiers, publicUrl, nowMs }: StandingRules,
): Promise<number[]> {
  return pauseTeam(db, fullPause(teamId, publicUrl, nowMs), async (tx) => {
    const { limitBytes, ...backlog } = await backlogOf(tx, teamId, tiers)
    if (!isFull(backlog, limitBytes)) return false
    await setDraining(tx, teamId, false)
    return true
  })
}

function fullPause(teamId: string, publicUrl: string, nowMs: number): Pause {
  return { teamId, reason: 'BACKLOG_FULL', message: backlogMessage(publicUrl), nowMs }
}
