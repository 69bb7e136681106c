import { serial } from '../core/async/serial.ts'
import { openTimeSlices } from '../core/async/time-slices.ts'
import { Rejection } from '../core/errors.ts'
import { type Engine, openEngine } from '../core/query/engine/engine.ts'
import type { KeySeed } from '../core/query/keys/read-key.ts'
import {
  openVariableRegistry,
  type VariableRegistry,
} from '../core/query/keys/variable-registry.ts'
import { compileQuery } from '../core/query/language/compile-query.ts'
import type { QueryPlan } from '../core/query/language/query-plan.ts'
import type { World } from '../ports/world.ts'
import { isOtherHistory, readRevision } from '../tables/sql/revisions.ts'
import { type StandingWebhook, webhooksChangedSince } from '../tables/webhooks/webhooks.ts'
import { type LiveVariables, openLiveVariables, type UsedVariable } from './live-variables.ts'

/** Every active webhook's query, compiled and indexed by network, and the variables they name. */
export type StandingQueries = ReturnType<typeof openStandingQueries>

type Held = {
  registry: VariableRegistry
  variables: LiveVariables
  engines: Map<string, Engine>
  /** By network, those that want to hear of heights that became empty. */
  notified: Map<string, Set<string>>
  /** Null until all webhooks have been read once. */
  revision: number | null
}

/** A webhook that changed, with what its query became; null for one that does not stand. */
type ChangedQuery = { webhook: StandingWebhook; plan: QueryPlan | null }

const PAGE = 100

/** `seed` is unknown to others, so that nobody can choose keys that pile up in one place. */
export function openStandingQueries(world: World, seed: KeySeed) {
  const held = nothingHeld(world, seed)
  // The followers of all networks share what is held.
  const inTurn = serial()

  return {
    /** Reads what has changed since the last call; cheap when nothing has. */
    refresh: () => inTurn(() => readChanges(world, held, seed)),
    engineOf: (network: string) => engineOf(held, network),
    /** True if any active webhook of the network asks for heights that became empty. */
    notifiesRemoved: (network: string) => (held.notified.get(network)?.size ?? 0) > 0,
  }
}

function nothingHeld(world: World, seed: KeySeed): Held {
  const registry = openVariableRegistry(seed)
  return {
    registry,
    variables: openLiveVariables(world, registry),
    engines: new Map(),
    notified: new Map(),
    revision: null,
  }
}

/** The revision is noted only at the end: what a failure leaves half read is read again. */
async function readChanges(world: World, held: Held, seed: KeySeed): Promise<void> {
  const revision = await readRevision(world.database, 'webhooks')
  if (revision === held.revision) return

  if (held.revision !== null && isOtherHistory(held.revision, revision)) {
    Object.assign(held, nothingHeld(world, seed))
  }
  const since = held.revision ?? 0
  const changes: ChangedQuery[] = []
  for await (const change of changedQueries(world, since)) {
    // Nobody runs a query before all have been read once, so those are put in place as they come:
    // the plans of 100,000 would take more than a gigabyte until then.
    if (held.revision === null) place(held, change)
    else changes.push(change)
  }
  await held.variables.refresh(variablesWith(held, changes), since)
  // Without a pause from here on: no block meets half of the changes.
  for (const change of changes) place(held, change)
  held.revision = revision
}

function variablesWith(held: Held, changes: readonly ChangedQuery[]): UsedVariable[] {
  const used: UsedVariable[] = []
  for (const engine of held.engines.values()) used.push(...engine.variablesUsed())
  for (const { webhook, plan } of changes) {
    for (const { name } of plan?.variables ?? []) used.push({ teamId: webhook.teamId, name })
  }
  return used
}

function place(held: Held, { webhook, plan }: ChangedQuery): void {
  const { id, teamId, network, skipEmpty, notifyRemoved } = webhook
  // A webhook stays on the network it was made for.
  held.notified.get(network)?.delete(id)
  if (!plan) {
    engineOf(held, network).remove(id)
    return
  }
  engineOf(held, network).put({ id, teamId, plan, skipEmpty })
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

/** Changed webhooks, oldest first. Compiling 100,000 takes most of a minute, hence slices. */
async function* changedQueries(world: World, since: number): AsyncGenerator<ChangedQuery> {
  const slices = openTimeSlices(world.clock)
  for await (const webhook of webhooksChangedSince(world.database, since, PAGE)) {
    yield { webhook, plan: planOf(world, webhook) }
    await slices.rest()
  }
}

function planOf(
  { telemetry }: World,
  { id, network, query, state }: StandingWebhook,
): QueryPlan | null {
  if (state !== 'active') return null
  const plan = compileQuery(query)
  if (!(plan instanceof Rejection)) return plan
  // The query was accepted once; only another version of the rules can refuse it now.
  telemetry.log('error', 'query_unreadable', { network, webhook: id, reason: plan.message })
  return null
}
