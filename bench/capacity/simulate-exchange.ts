import { openLimitExchange, PACE_BETWEEN_MACHINES } from '../../src/metering/limit-exchange.ts'
import { openMachineSignals } from '../../src/ports/driver-parts/machine-signals.ts'
import { quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { seededChance } from '../../tests/support/basics/seeded-chance.ts'
import { testClock } from '../../tests/support/basics/test-clock.ts'

export type ExchangeRun = {
  machines: number
  callsPerSecond: number
  teams: number
  seed: number
  ticks: number
}

/** Of all machines together. */
export type ExchangeReport = {
  framesPerSecond: number
  sentBytesPerSecond: number
  /** Teams that a machine heard of, one after the other, of what others took. */
  heardPerSecond: number
}

/** The price of a usual call, far below what makes a telling urgent. */
const CENTI_CU = 2000
const CU_PER_SECOND = 10_000

/** Gateways with calls by chance, which share limits with the product's own exchange. */
export async function simulateExchange(run: ExchangeRun): Promise<ExchangeReport> {
  const { machines, teams, callsPerSecond, seed, ticks } = run
  const clock = testClock()
  const chance = seededChance(seed)
  const telemetry = quietTelemetry()
  const signals = openMachineSignals()
  let [frames, bytes, heard] = [0, 0, 0]
  signals.subscribe('limits', (text) => {
    frames += 1
    bytes += text.length
  })
  const keys = Array.from({ length: teams }, (_, at) => `team_${String(at).padStart(16, '0')}`)
  const exchanges = Array.from({ length: machines }, (_, at) => {
    const exchange = openLimitExchange(
      { clock, signals, telemetry },
      { sender: `gateway_${at}`, pace: PACE_BETWEEN_MACHINES },
    )
    exchange.subscribe(() => {
      heard += 1
    })
    return exchange
  })
  const { periodMs } = PACE_BETWEEN_MACHINES
  const callsEach = Math.round((callsPerSecond * periodMs) / 1000 / machines)
  for (let tick = 0; tick < ticks; tick++) {
    for (const exchange of exchanges) {
      for (let call = 0; call < callsEach; call++) {
        exchange.took(chance.pick(keys), CENTI_CU, CENTI_CU, CU_PER_SECOND)
      }
    }
    await clock.advance(periodMs)
  }
  for (const exchange of exchanges) exchange.stop()
  const seconds = (ticks * periodMs) / 1000
  return {
    framesPerSecond: frames / seconds,
    sentBytesPerSecond: bytes / seconds,
    heardPerSecond: heard / seconds,
  }
}
