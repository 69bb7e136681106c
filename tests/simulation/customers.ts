import { assert } from '../../src/core/errors.ts'
import type { Database } from '../../src/ports/database.ts'
import { insertTeam } from '../../src/tables/accounts/teams.ts'
import { addItems, deleteVariable, removeItems } from '../../src/tables/webhooks/variables.ts'
import { changeWebhook, createWebhook, deleteWebhook } from '../../src/tables/webhooks/webhooks.ts'
import type { Chance } from '../support/basics/seeded-chance.ts'
import { TEAM_A, webhookCalled } from '../support/deliveries/webhook-store.ts'
import { ADDRESSES } from './chain-block.ts'
import { type NaiveQuery, QUERIES, VARIABLE } from './naive-queries.ts'
import { type ChainRow, NETWORK } from './sim-store.ts'
import type { Trace } from './trace.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** Something as it was from after one event on, until its next version. */
export type Version<T> = { after: number; value: T }

export type SimWebhook = {
  id: string
  skipEmpty: boolean
  notifyRemoved: boolean
  versions: Version<{ state: 'active' | 'paused' | 'deleted'; query: NaiveQuery }>[]
}

export type Customers = {
  webhooks: SimWebhook[]
  /** The keys that the variable held, and from when on. */
  watched: Version<ReadonlySet<string>>[]
  /** Webhooks and variables change at random moments from now on, until it is time to end. */
  begin(endMs: number): void
}

type Needs = {
  clock: VirtualClock
  chance: Chance
  trace: Trace
  database: Database
  /** Where the chain stood when the database last committed something for us. */
  lastCommit(): ChainRow | null
}

type Plan = { webhooks: number; narrow: boolean; changes: number; traces: boolean }

/** The event before the first one. */
export const BEFORE_ALL = 1_000_000_000_000

const SLOTS_MAX = 1_000

/** Customers with webhooks: one for every block from the start to the end, others that change. */
export function openCustomers(needs: Needs, plan: Plan): Customers {
  const { clock, chance, database } = needs
  const customers: Customers = {
    webhooks: [],
    watched: [{ after: BEFORE_ALL, value: new Set() }],
    begin(endMs) {
      for (let change = 0; change < plan.changes; change++) {
        clock.after(
          chance.fraction() * endMs,
          () => void inTurn(() => changeSomething(needs, customers, plan)),
        )
      }
    },
  }
  let turn: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>) => {
    turn = turn.then(work)
    return turn
  }
  const team = { id: TEAM_A, name: TEAM_A, tier: 'free', autoscaling: false, createdAtMs: 1 }
  const prepare = async () => {
    await insertTeam(database, team)
    await create(needs, customers, plan, { skipEmpty: false, notifyRemoved: false })
    for (let made = 1; made < plan.webhooks; made++) await create(needs, customers, plan)
  }
  clock.settle(inTurn(prepare), 60_000)
  return customers
}

async function create(
  needs: Needs,
  { webhooks }: Customers,
  plan: Plan,
  fixed?: { skipEmpty: boolean; notifyRemoved: boolean },
): Promise<void> {
  const { chance, clock, database, trace } = needs
  const skipEmpty = fixed?.skipEmpty ?? chance.fraction() < 0.7
  const notifyRemoved = fixed?.notifyRemoved ?? chance.fraction() < 0.5
  const first = clock.elapsedMs() === 0 && plan.narrow
  const query = chance.pick(first ? QUERIES.slice(0, 1) : queriesFor(plan))
  const id = `wh_${webhooks.length}`
  const webhook = webhookCalled(id, {
    network: NETWORK,
    query: query.text,
    skipEmpty,
    notifyRemoved,
  })
  const made = await createWebhook(database, webhook, 'sealed', SLOTS_MAX)
  assert(made.kind === 'written', 'there is a slot for every webhook of a run')
  const versions = [{ after: reached(needs), value: { state: 'active' as const, query } }]
  webhooks.push({ id, skipEmpty, notifyRemoved, versions })
  trace.note('customer', 'creates', id, query.name, skipEmpty ? 'skips empty' : '')
}

function queriesFor({ traces }: Plan): NaiveQuery[] {
  return QUERIES.filter(({ wants }) => traces || wants !== 'traces')
}

async function changeSomething(needs: Needs, customers: Customers, plan: Plan): Promise<void> {
  const { chance } = needs
  const dice = chance.fraction()
  if (dice < 0.35) return changeWatched(needs, customers)
  if (dice < 0.5) return create(needs, customers, plan)
  // The first one stays as it is: it is the witness of every event.
  const webhook = chance.pick(customers.webhooks)
  if (webhook !== customers.webhooks[0]) return changeOne(needs, webhook, plan)
}

async function changeOne(needs: Needs, webhook: SimWebhook, plan: Plan): Promise<void> {
  const { chance, database, trace } = needs
  const { id, versions } = webhook
  const now = versions.at(-1)?.value
  if (!now || now.state === 'deleted') return
  const dice = chance.fraction()
  if (dice < 0.2) {
    await deleteWebhook(database, TEAM_A, id)
    versions.push({ after: reached(needs), value: { ...now, state: 'deleted' } })
  } else if (dice < 0.5) {
    const query = chance.pick(queriesFor(plan))
    await changeWebhook(database, TEAM_A, id, { query: query.text })
    versions.push({ after: reached(needs), value: { ...now, query } })
  } else {
    const state = now.state === 'active' ? 'paused' : 'active'
    const standing =
      state === 'active'
        ? ({ state, reason: null } as const)
        : ({ state, reason: 'MANUAL' } as const)
    await changeWebhook(database, TEAM_A, id, { standing })
    versions.push({ after: reached(needs), value: { ...now, state } })
  }
  const made = versions.at(-1)?.value
  trace.note('customer', 'changes', id, made?.state ?? '', made?.query.name ?? '')
}

async function changeWatched(needs: Needs, { watched }: Customers): Promise<void> {
  const { chance, database, trace } = needs
  const items = new Set(watched.at(-1)?.value)
  const item = chance.pick(ADDRESSES)
  if (chance.fraction() < 0.15) {
    items.clear()
    await deleteVariable(database, TEAM_A, VARIABLE)
  } else if (items.delete(item)) {
    await removeItems(database, TEAM_A, VARIABLE, [item])
  } else {
    items.add(item)
    await addItems(database, { teamId: TEAM_A, name: VARIABLE, kind: 'Address', items: [item] })
  }
  watched.push({ after: reached(needs), value: items })
  trace.note('customer', 'watches', [...items].map((one) => one.slice(0, 4)).join())
}

function reached({ lastCommit }: Needs): number {
  return lastCommit()?.sequence_number ?? BEFORE_ALL
}
