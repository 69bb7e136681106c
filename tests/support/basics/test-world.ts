import type { World } from '../../../src/ports/world.ts'
import { quietTelemetry } from './quiet-telemetry.ts'

/** A world with the parts that a test provides. Using any other part fails the test. */
export function testWorld(parts: Partial<World> = {}): World {
  return {
    clock: absent('clock'),
    entropy: absent('entropy'),
    database: absent('database'),
    signals: absent('signals'),
    secrets: absent('secrets'),
    telemetry: quietTelemetry(),
    ...parts,
  }
}

function absent<Part extends object>(name: string): Part {
  const get = (_target: object, member: string | symbol): never => {
    throw new Error(`The test provides no ${name}, but ${String(member)} was used.`)
  }
  return new Proxy({}, { get }) as Part
}
