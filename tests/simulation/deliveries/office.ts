import { type Database, sql } from '../../../src/ports/database.ts'
import { changeTeam, insertTeam } from '../../../src/tables/accounts/teams.ts'
import { SHARDS } from '../../../src/tables/deliveries/shards.ts'
import { recordUsage } from '../../../src/tables/usage/usage.ts'
import { WORLD } from '../../support/product/world.ts'
import { NETWORK } from '../sim-store.ts'
import type { Act, ActNeeds } from './customer-act.ts'
import { OFFICE, wallOf } from './delivery-run.ts'
import type { DeliveryPlan } from './plan-deliveries.ts'
import { replay, resend } from './send-again.ts'
import { create, move, pauseOrResume, remove, reorder, resume, rotate } from './webhook-acts.ts'

export type Office = {
  /** Customers change their minds at random moments from now on, until it is time to end. */
  begin(endMs: number): void
  /** Whether all that was wanted has been done; the store may have been slow. */
  isDone(): boolean
}

/** Who has webhooks, and the operator. */
export function openOffice(needs: ActNeeds): Office {
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
    await database.transaction((tx) => countFrom(tx, plan))
    for (let made = 0; made < plan.webhooks; made++) {
      await create(needs)
      await database.transaction((tx) => renumber(tx, plan, made))
    }
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

/** Events are counted from there on. */
async function countFrom(tx: Database, { firstEvent }: DeliveryPlan): Promise<void> {
  await tx.query(
    WORLD === 'postgres'
      ? sql`SELECT setval('event_numbers', ${firstEvent}, false)`
      : sql`INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ${firstEvent - 1})`,
  )
}

/** Before anybody has seen it. */
async function renumber(
  tx: Database,
  { firstWebhook, sharesShard }: DeliveryPlan,
  made: number,
): Promise<void> {
  const number = firstWebhook + made * (sharesShard ? SHARDS : 1)
  await tx.query(sql`UPDATE webhooks SET number = ${number} WHERE id = ${`wh_${made}`}`)
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
