import type { Database } from '../../src/ports/database.ts'
import type { LogFields } from '../../src/ports/telemetry.ts'
import type { Chance } from '../support/basics/seeded-chance.ts'
import { judgeReorganisation } from './nodes/judge-votes.ts'
import type { ProcessPlan } from './plan-run.ts'
import { beginLife, type Doom, type Life, planDoom } from './process-life.ts'
import { type Companion, type SimProcess, startProcess } from './sim-process.ts'
import type { Run } from './sim-run.ts'
import { type ChainRow, NO_FAULTS } from './sim-store.ts'

/** Failures that the world may give rise to; any other trouble is a bug. */
const EXCUSES = new Set([
  'upstream_unreachable',
  'upstream_timed_out',
  'upstream_answered_badly',
  'database_unavailable',
])

/** Starts what else runs in a process that begins. */
export type Accompany = (life: Life, plan: ProcessPlan, database: Database) => Companion | null

type Supervised = {
  run: Run
  chance: Chance
  living: Set<Life>
  crashes: { left: number }
  accompany: Accompany
}

/** Starts the processes, crashes them and starts them again; returns how to end them all. */
export function supervise(run: Run, accompany: Accompany = () => null): () => void {
  const crashes = { left: run.plan.crashesMax }
  const living = new Set<Life>()
  const supervised = { run, chance: run.chance(4), living, crashes, accompany }
  for (const plan of run.plan.processes) {
    run.clock.after(plan.startAtMs, () => startOver(supervised, plan))
  }
  return () => {
    for (const life of [...living]) {
      living.delete(life)
      life.end('the run is over')
    }
  }
}

function startOver(supervised: Supervised, plan: ProcessPlan, starts = 1): void {
  const { run, chance, living, crashes } = supervised
  const { clock, trace, store, nodes } = run
  const name = `${plan.name}${starts}`
  let doom: Doom | null = crashes.left > 0 ? planDoom(chance) : null
  if (doom) crashes.left--
  const life = beginLife(
    name,
    () => (clock.elapsedMs() < run.plan.calmAtMs ? doom : null),
    (why) => {
      trace.note(name, why)
      // Ended from outside, it is not to come back.
      if (!living.delete(life)) return
      clock.after(chance.fraction() ** 2 * run.plan.downMsMax, () =>
        startOver(supervised, plan, starts + 1),
      )
    },
  )
  living.add(life)
  trace.note(name, 'starts', doom ? `dies after ${doom.steps} ${doom.kind}` : '')
  const isCalm = () => clock.elapsedMs() >= run.plan.calmAtMs
  const database = store.connect(
    life,
    () => (isCalm() ? NO_FAULTS : run.plan.store),
    (chain) => noteCommit(run, life, chain),
  )
  const logged = (life: Life, event: string, fields: LogFields) => hear(run, life, event, fields)
  const companion = supervised.accompany(life, plan, database)
  if (!life.alive) return
  const needs = { clock, trace, nodes, network: run.plan.network, logged, companion }
  const holder = plan.sameHolder ? plan.name : name
  const process = startProcess(needs, life, holder, plan.skewMs, database)
  // Some are stopped by hand before they would crash, and none once all is calm.
  if (doom && chance.fraction() < 0.25 && !isCalm()) {
    doom = null
    stopLater(run, chance, process)
  }
}

function stopLater({ clock, plan }: Run, chance: Chance, process: SimProcess): void {
  clock.after(
    chance.fraction() * Math.max(0, plan.calmAtMs - clock.elapsedMs()),
    () => void process.stop().then(() => process.life.end('is stopped')),
    process.life,
  )
}

function noteCommit(run: Run, life: Life, chain: ChainRow | null): void {
  const { events, trace, tree } = run
  const last = events.at(-1)
  if (!chain || chain.sequence_number === last?.sequence_number) return
  events.push(chain)
  const block = tree.byHash(chain.tip_hash)
  trace.note(life.name, 'commits', chain.sequence_number % 1e12, block?.name ?? chain.tip_hash)
}

function hear(run: Run, life: Life, event: string, fields: LogFields): void {
  if (event === 'reorganisation') judgeReorganisation(run, life, fields)
  if (event === 'follower_error' && !EXCUSES.has(String(fields.reason))) {
    run.complaints.push(`${life.name} has trouble of its own: ${fields.reason}`)
  }
  if (event === 'query_unreadable') run.complaints.push(`a query is unreadable: ${fields.reason}`)
}
