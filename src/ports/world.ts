import type { Clock } from './clock.ts'
import type { Database } from './database.ts'
import type { Entropy } from './entropy.ts'
import type { DerivedKeys, Secrets } from './secrets.ts'
import type { Signals } from './signals.ts'
import type { Telemetry } from './telemetry.ts'

/** What a function may use beside its arguments. Created once at start and passed down whole. */
export type World = {
  clock: Clock
  entropy: Entropy
  database: Database
  telemetry: Telemetry
  signals: Signals
  secrets: Secrets & DerivedKeys
}
