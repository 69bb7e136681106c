import type { Database, Sql } from '../../../src/ports/database.ts'
import type { Entropy } from '../../../src/ports/entropy.ts'
import type { Telemetry } from '../../../src/ports/telemetry.ts'
import { quietTelemetry } from '../../support/basics/quiet-telemetry.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import type { Life } from '../process-life.ts'
import { complain, type DeliveryRun, heardKey } from './delivery-run.ts'

/** Troubles that the world may give rise to; any other is a bug. */
const EXCUSE = 'database_unavailable'

export function entropyOf(life: Life, chance: Chance): Entropy {
  return {
    bytes: (length) => new Uint8Array(length),
    alphanumeric: () => life.name,
    fraction: chance.fraction,
  }
}

/** What is committed may be heard of much later, as when the process stands still. */
export function withLateAnswers(
  { clock, plan }: DeliveryRun,
  life: Life,
  database: Database,
  chance: Chance,
): Database {
  const { lateRate, lateMsMax } = plan.answers
  const late = async <T>(answer: Promise<T>): Promise<T> => {
    const result = await answer
    const isLate = lateRate > 0 && clock.elapsedMs() < plan.calmAtMs
    if (isLate && chance.fraction() < lateRate) {
      const lateMs = chance.between(0, lateMsMax)
      await new Promise<void>((resolve) => void clock.after(lateMs, resolve, life))
    }
    return result
  }
  return {
    ...database,
    transaction: (work) => late(database.transaction(work)),
    perform: (procedure, args) => late(database.perform(procedure, args)),
  }
}

/** Notes which webhooks the process reads: it knows what they were when it asked. */
export function withEars({ clock, heard }: DeliveryRun, life: Life, database: Database): Database {
  return {
    ...database,
    async query<Row>(statement: Sql) {
      const askedMs = clock.elapsedMs()
      const rows = await database.query<Row & { id?: string; signing_key_sealed?: string }>(
        statement,
      )
      for (const { id, signing_key_sealed } of rows) {
        if (id && signing_key_sealed) heard.set(heardKey(life, id), askedMs)
      }
      return rows
    },
  }
}

export function telemetryOf(run: DeliveryRun, life: Life): Telemetry {
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
