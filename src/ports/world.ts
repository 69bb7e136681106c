import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import type { Entropy } from './entropy.ts'
import type { DerivedKeys, Secrets } from './secrets.ts'
import type { Signals } from './signals.ts'
import type { Telemetry } from './telemetry.ts'

/** The parts that exist before the store and the signals do. */
export type System = { clock: Clock; entropy: Entropy; telemetry: Telemetry }

/** The parts of the world that a function may use. One value is made at start and handed down. */
export type World = System & {
  database: Database
  signals: Signals
  secrets: Secrets & DerivedKeys
}
