import { type Courier, openCourier } from '../../../src/courier/courier.ts'
import type { Database } from '../../../src/ports/database.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import type { Telemetry } from '../../../src/ports/telemetry.ts'
import { quietTelemetry } from '../../support/quiet-telemetry.ts'
import type { Chance } from '../../support/seeded-chance.ts'
import type { Life } from '../process-life.ts'
import { clockOf } from '../process-ports.ts'
import { complain, type DeliveryRun } from './delivery-run.ts'
import { openHostJudge } from './judge-hosts.ts'
import { PUBLIC_URL, sealed, unsealed } from './judge-posts.ts'
import { simEgress } from './sim-egress.ts'
import type { SimSignals } from './sim-signals.ts'

/** Troubles that the world may give rise to; any other is a bug. */
const EXCUSE = 'database_unavailable'

/** One start of the product: as much of it as delivers. */
export function startCourier(
  run: DeliveryRun,
  life: Life,
  skewMs: number,
  database: Database,
  signals: SimSignals,
  chance: Chance,
): Courier {
  const { clock, plan } = run
  run.skews.set(life.name, skewMs)
  return openCourier({
    clock: clockOf(clock, life, plan.wallOffsetMs + skewMs),
    database: withLateAnswers(run, life, database, chance),
    egress: simEgress(run, life, openHostJudge(run)),
    entropy: entropyOf(life, chance),
    secrets: { seal: sealed, open: unsealed },
    signals: signals.of(life),
    telemetry: telemetryOf(run, life),
    settings: plan.settings,
    tiers: plan.tiers,
    publicUrl: PUBLIC_URL,
  })
}

/** A process calls itself by the name of its life, so that its leases can be told. */
function entropyOf(life: Life, chance: Chance): Entropy {
  return {
    bytes: (length) => new Uint8Array(length),
    alphanumeric: () => life.name,
    fraction: chance.fraction,
  }
}

/** What is committed may be heard of much later, as when the process stands still. */
function withLateAnswers(
  { clock, plan }: DeliveryRun,
  life: Life,
  database: Database,
  chance: Chance,
): Database {
  const { lateRate, lateMsMax } = plan.answers
  return {
    ...database,
    async transaction<T>(work: (tx: Database) => Promise<T>) {
      const result = await database.transaction(work)
      const isLate = lateRate > 0 && clock.elapsedMs() < plan.calmAtMs
      if (isLate && chance.fraction() < lateRate) {
        const lateMs = chance.between(0, lateMsMax)
        await new Promise<void>((resolve) => void clock.after(lateMs, resolve, life))
      }
      return result
    },
  }
}

function telemetryOf(run: DeliveryRun, life: Life): Telemetry {
  return {
    ...quietTelemetry(),
    count: () => {},
    counter: () => () => {},
    log(_level, event, fields) {
      if (!life.alive) return
      run.trace.note(life.name, event, ...Object.values(fields))
      const { reason } = fields
      if (reason !== undefined && reason !== EXCUSE) {
        complain(run, `${life.name} has trouble of its own: ${event} ${reason}`)
      }
    },
    logText: () => {},
  }
}
