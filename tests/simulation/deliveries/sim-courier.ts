import { type Courier, openCourier } from '../../../src/courier/courier.ts'
import type { Database } from '../../../src/ports/database.ts'
import { openKnownNumbers } from '../../../src/tables/chain/known-numbers.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import { testWorld } from '../../support/basics/test-world.ts'
import type { Life } from '../process-life.ts'
import { clockOf } from '../process-ports.ts'
import { entropyOf, telemetryOf, withEars, withLateAnswers } from './courier-ports.ts'
import { type DeliveryRun, wallOf } from './delivery-run.ts'
import { openHostJudge } from './judges/judge-hosts.ts'
import { PUBLIC_URL } from './judges/judge-pauses.ts'
import { simEgress } from './sim-egress.ts'
import { sealed, unsealed } from './sim-keys.ts'
import type { SimSignals } from './sim-signals.ts'

/** One start of the product: as much of it as delivers. */
export function startCourier(
  run: DeliveryRun,
  life: Life,
  database: Database,
  signals: SimSignals,
  chance: Chance,
): Courier {
  const { plan, couriers } = run
  const clock = clockOf(run.clock, life, 0)
  const suspendedMs = () => couriers.get(life.name)?.suspendedMs ?? 0
  const world = testWorld({
    clock: {
      ...clock,
      nowMs: () => wallOf(run, life.name),
      monotonicMs: () => clock.monotonicMs() - suspendedMs(),
    },
    database: withEars(run, life, withLateAnswers(run, life, database, chance)),
    signals: signals.of(life),
    telemetry: telemetryOf(run, life),
    entropy: entropyOf(life, chance),
    secrets: { seal: sealed, open: unsealed, derive: () => new Uint8Array(32) },
  })
  return openCourier(world, {
    name: couriers.get(life.name)?.courier ?? life.name,
    known: openKnownNumbers(world),
    egress: simEgress(run, life, openHostJudge(run)),
    settings: plan.settings,
    tiers: plan.tiers,
    publicUrl: PUBLIC_URL,
  })
}
