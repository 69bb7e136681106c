import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { burstOf, type Capacity, capacityOf } from '../../bench/capacity/capacity-of.ts'
import { capacityTable, figuresTable, limitsTable } from '../../bench/capacity/capacity-table.ts'
import { latenessOf } from '../../bench/capacity/courier-loss.ts'
import { FIGURES, type Figures, MEASURED } from '../../bench/capacity/figures.ts'
import { type Load, MILLIONS, SIXTEEN_CORES } from '../../bench/capacity/load.ts'
import { nextLimits } from '../../bench/capacity/next-limits.ts'
import { simulateCouriers } from '../../bench/capacity/simulate-couriers.ts'
import { simulateExchange } from '../../bench/capacity/simulate-exchange.ts'
import { SCENARIOS } from '../../bench/scenarios.ts'

const DOCS = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')

/** A tenth of the load at ten times the cost takes as many processes, and less time to simulate. */
const SMALL: Load = { ...MILLIONS, callsPerSecond: 100_000, webhooks: 100_000, teams: 1_000 }
const SLOW: Figures = { ...FIGURES, sendUs: FIGURES.sendUs * 10 }

const modelOf = (figures: Figures, load: Load) => capacityOf(figures, load, SIXTEEN_CORES)

describe('the capacity model', () => {
  test.each<[what: string, read: (model: Capacity) => number]>([
    ['cores of gateways', ({ gateways }) => gateways.cores],
    ['deliveries', ({ couriers }) => couriers.deliveriesPerSecond],
    ['rows of a day', ({ postgres }) => postgres.rowsPerDay],
    ['bytes of a day', ({ postgres }) => postgres.diskBytesPerDay],
  ])('has twice the %s for twice the load', (_what, read) => {
    const twice = { ...MILLIONS, callsPerSecond: 2e6, webhooks: 2e6 }
    expect(read(modelOf(FIGURES, twice))).toBeCloseTo(2 * read(modelOf(FIGURES, MILLIONS)), 3)
  })

  test('adds up what each part of the load costs, worked out by hand', () => {
    const { gateways, couriers, postgres } = modelOf(FIGURES, MILLIONS)
    // Half of the calls at 55 µs, half at 20, each 1.2 times as dear with workers.
    expect(gateways.cores).toBeCloseTo(1e6 * ((55 + 20) / 2) * 1.2 * 1e-6, 6)
    // 49.07 blocks a second, each with something for a hundredth of 20,000 webhooks.
    expect(couriers.deliveriesPerSecond).toBeCloseTo((736 / 15) * 200, 6)
    expect(postgres.rowsPerDay).toBeCloseTo((736 / 15) * 200 * 86_400, 3)
  })

  test('is bound by slow destinations where those are slower than we are', () => {
    const slow = modelOf(FIGURES, { ...MILLIONS, answerMs: 2_000 }).couriers
    expect(slow.perSecondEach).toBe(512)
    expect(slow.processes).toBeGreaterThan(modelOf(FIGURES, MILLIONS).couriers.processes)
  })

  test('puts the limit first that is reached first', () => {
    const limits = nextLimits(FIGURES, MILLIONS, modelOf(FIGURES, MILLIONS))
    const shares = limits.map(({ used, most }) => used / most)
    expect(shares).toEqual(shares.toSorted((one, other) => other - one))
    expect(limits[0]?.what).toContain('usage')
  })

  test('names scenarios that exist', () => {
    for (const { from } of Object.values(MEASURED)) expect(SCENARIOS).toHaveProperty(from)
  })
})

describe.each([1, 2, 3])('a simulated load, seed %d', (seed) => {
  const { perSecondEach, processes, deliveriesPerSecond } = modelOf(SLOW, SMALL).couriers
  const run = { load: SMALL, perSecondEach, seed, killAtS: 20, afterS: 40 }

  test('is behind by no more than the model says, also when a courier is killed', async () => {
    const predicted = latenessOf(SMALL, processes, perSecondEach)
    const report = await simulateCouriers({ ...run, couriers: processes }, burstOf(SMALL))
    expect(report.deliveries).toBeGreaterThan(deliveriesPerSecond * 50)
    expect(report.steadyLagS).toBeLessThanOrEqual(predicted.steadyLagS)
    expect(report.lagMaxS).toBeLessThanOrEqual(predicted.recoveredS)
    expect(report.recoveredS).toBeLessThanOrEqual(predicted.recoveredS)
    expect(report.backlogMax).toBeLessThanOrEqual(predicted.backlogMax)
    // The kill was felt: somebody had to wait for the lease to lapse.
    expect(report.lagMaxS).toBeGreaterThan(5)
    expect(report.backlogAtEnd).toBeLessThanOrEqual(burstOf(SMALL))
  })

  test('is not kept up with, once a courier is killed, where the model has no head-room', async () => {
    const couriers = Math.ceil(deliveriesPerSecond / perSecondEach)
    expect(latenessOf(SMALL, couriers, perSecondEach).recoveredS).toBe(Number.POSITIVE_INFINITY)
    const report = await simulateCouriers({ ...run, couriers }, burstOf(SMALL))
    expect(report.recoveredS).toBe(Number.POSITIVE_INFINITY)
    // All that came in since the kill and those that are left could not send.
    const unsent = (deliveriesPerSecond - (couriers - 1) * perSecondEach) * run.afterS
    expect(unsent).toBeGreaterThan(burstOf(SMALL))
    expect(report.backlogAtEnd).toBeGreaterThan(unsent)
  })

  test('exchanges as many bytes about limits as the model says, within a fifth', async () => {
    const { gateways, exchange } = modelOf(FIGURES, SMALL)
    const { callsPerSecond, teams } = SMALL
    const { machines } = gateways
    const report = await simulateExchange({ machines, callsPerSecond, teams, seed, ticks: 10 })
    expect(report.sentBytesPerSecond / machines / exchange.sentBytesPerSecond).toBeWithin(0.8, 1.2)
    // Every machine hears of all that the others tell.
    const told = exchange.teamsPerTick * 20 * machines
    expect(report.heardPerSecond / told / (machines - 1)).toBeWithin(0.9, 1.1)
  })
})

describe('docs/scaling.md', () => {
  test.each([
    ['the figures', figuresTable(MEASURED)],
    ['the model', capacityTable(FIGURES, MILLIONS, SIXTEEN_CORES)],
    ['the limits', limitsTable(FIGURES, MILLIONS, SIXTEEN_CORES)],
  ])('shows %s as `npm run bench -- capacity` prints them', (_what, lines) => {
    expect(DOCS).toContain(`${lines.join('\n')}\n`)
  })
})
