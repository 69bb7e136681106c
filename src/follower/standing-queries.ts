import { serial } from '../core/async/serial.ts'
import { Rejection } from '../core/errors.ts'
import { type Engine, openEngine } from '../core/query/engine/engine.ts'
import type { KeySeed } from '../core/query/keys/read-key.ts'
import {
  openVariableRegistry,
  type VariableRegistry,
} from '../core/query/keys/variable-registry.ts'
import { compileQuery } from '../core/query/language/compile-query.ts'
import type { QueryPlan } from '../core/query/language/query-plan.ts'
import type { Database } from '../ports/database.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import {
  type StandingWebhook,
  webhookRevision,
  webhooksChangedSince,
} from '../tables/webhooks/webhooks.ts'
import { type LiveVariables, openLiveVariables, type UsedVariable } from './live-variables.ts'

type Needs = {
  database: Database
  telemetry: Telemetry
  /** Unknown to others, so that nobody can choose keys that pile up in one place. */
  seed: KeySeed
}

/** Every active webhook's query, compiled and indexed by network, and the variables they name. */
export type StandingQueries = {
  /** Reads what has changed since it was last called; cheap when nothing has. */
  refresh(): Promise<void>
  engineOf(network: string): Engine
  /** Some active webhook of the network wants to hear when a height became empty. */
  notifiesRemoved(network: string): boolean
}

type Held = {
  registry: VariableRegistry
  variables: LiveVariables
  engines: Map<string, Engine>
  /** The network of each standing query. */
  placed: Map<string, string>
  /** By network, those that want to hear of heights that became empty. */
  notified: Map<string, Set<string>>
  revision: number
}

/** A webhook that changed, with what its query became; null for one that does not stand. */
type Compiled = { webhook: StandingWebhook; plan: QueryPlan | null }

/** Compiled in one go; between pages the process gets to its other work. */
const PAGE = 100

export function openStandingQueries(needs: Needs): StandingQueries {
  const registry = openVariableRegistry(needs.seed)
  const held: Held = {
    registry,
    variables: openLiveVariables(needs.database, registry),
    engines: new Map(),
    placed: new Map(),
    notified: new Map(),
    revision: 0,
  }
  // The followers of all networks share what is held.
  const inTurn = serial()

  return {
    refresh: () => inTurn(() => readChanges(needs, held)),
    engineOf: (network) => engineOf(held, network),
    notifiesRemoved: (network) => (held.notified.get(network)?.size ?? 0) > 0,
  }
}

/** The revision is noted only at the end: what a failure leaves half read is read again. */
async function readChanges(needs: Needs, held: Held): Promise<void> {
  const { database } = needs
  const revision = await webhookRevision(database)
  if (revision === held.revision) return

  const changes: Compiled[] = []
  for await (const webhook of changedWebhooks(database, held.revision)) {
    changes.push({ webhook, plan: planOf(needs, webhook) })
  }
  await held.variables.refresh(variablesWith(held, changes), held.revision)
  // Without a pause from here on: no block meets half of the changes.
  for (const change of changes) place(held, change)
  held.revision = revision
}

async function* changedWebhooks(database: Database, since: number) {
  for (let revision = since, after: string | null = null; ; ) {
    const page: StandingWebhook[] = await webhooksChangedSince(database, revision, PAGE, after)
    yield* page
    const last = page.at(-1)
    if (!last || page.length < PAGE) return
    revision = last.revision
    after = last.id
  }
}

function planOf(
  { telemetry }: Needs,
  { id, network, query, state }: StandingWebhook,
): QueryPlan | null {
  if (state !== 'active') return null
  const plan = compileQuery(query)
  if (!(plan instanceof Rejection)) return plan
  // The query was accepted once; only another version of the rules can refuse it now.
  telemetry.log('error', 'query_unreadable', { network, webhook: id, reason: plan.message })
  return null
}

/** The variables of all queries once the changes are in place. */
function variablesWith(held: Held, changes: readonly Compiled[]): UsedVariable[] {
  const used: UsedVariable[] = []
  for (const engine of held.engines.values()) used.push(...engine.variablesUsed())
  for (const { webhook, plan } of changes) {
    for (const { name } of plan?.variables ?? []) used.push({ teamId: webhook.teamId, name })
  }
  return used
}

function place(held: Held, { webhook, plan }: Compiled): void {
  const { id, teamId, network, skipEmpty, notifyRemoved } = webhook
  const before = held.placed.get(id)
  if (before !== undefined) {
    held.notified.get(before)?.delete(id)
    if (!plan || before !== network) engineOf(held, before).remove(id)
    held.placed.delete(id)
  }
  if (!plan) return
  engineOf(held, network).put({ id, teamId, plan, skipEmpty })
  held.placed.set(id, network)
  if (!notifyRemoved) return
  const notified = held.notified.get(network) ?? new Set()
  held.notified.set(network, notified.add(id))
}

function engineOf({ registry, engines }: Held, network: string): Engine {
  const known = engines.get(network)
  if (known) return known
  const engine = openEngine(registry)
  engines.set(network, engine)
  return engine
}
