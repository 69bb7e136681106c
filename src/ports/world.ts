import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import type { Entropy } from './entropy.ts'
import type { DerivedKeys, Secrets } from './secrets.ts'
import type { Signals } from './signals.ts'
import type { Telemetry } from './telemetry.ts'

/** The parts of the world that a function may use. One value is made at start and handed down. */
export type World = {
  clock: Clock
  entropy: Entropy
  database: Database
  telemetry: Telemetry
  signals: Signals
  secrets: Secrets & DerivedKeys
}
