import { type Effort, type Result, round2, type Target, target } from '../compare.ts'
import { burstOf, capacityOf } from './capacity-of.ts'
import { capacityTable, figuresTable, limitsTable } from './capacity-table.ts'
import { latenessOf } from './courier-loss.ts'
import { FIGURES, MEASURED } from './figures.ts'
import { MILLIONS, SIXTEEN_CORES } from './load.ts'
import { type CourierReport, simulateCouriers } from './simulate-couriers.ts'
import { simulateExchange } from './simulate-exchange.ts'

const SEEDS = 5
const KILL_AT_S = 30
const AFTER_S = 60

/** Half a second of the whole load. */
const TICKS = 10

/** The model for a million of each, and a simulation of that load against it. */
export async function capacity(effort: Effort): Promise<Result> {
  const load = MILLIONS
  const wanted = capacityOf(FIGURES, load, SIXTEEN_CORES)
  const { processes, perSecondEach, deliveriesPerSecond } = wanted.couriers
  const seeds = effort.rounds > 1 ? SEEDS : 1
  const without = Math.ceil(deliveriesPerSecond / perSecondEach)
  const simulated = await worstOf(processes, perSecondEach, seeds)
  const full = await worstOf(without, perSecondEach, seeds)
  return {
    scenario: 'CAPACITY',
    title: 'a million calls a second, and a million webhooks on 50 networks',
    rows: [],
    targets: [
      ...courierTargets(simulated, processes, perSecondEach),
      target(
        `with ${without} couriers and one killed, waiting at the end`,
        full.backlogAtEnd,
        {
          atLeast: round2(latenessOf(load, processes, perSecondEach).backlogMax),
        },
        'deliveries',
      ),
      ...(await exchangeTargets(wanted)),
    ],
    notes: [
      ...figuresTable(MEASURED),
      '',
      ...capacityTable(FIGURES, load, SIXTEEN_CORES),
      '',
      ...limitsTable(FIGURES, load, SIXTEEN_CORES),
    ],
  }
}

function courierTargets(report: CourierReport, couriers: number, perSecondEach: number): Target[] {
  const predicted = latenessOf(MILLIONS, couriers, perSecondEach)
  return [
    target(
      `${couriers} couriers, lag`,
      report.steadyLagS,
      { atMost: round2(predicted.steadyLagS) },
      's',
    ),
    target('one killed, lag', report.lagMaxS, { atMost: round2(predicted.recoveredS) }, 's'),
    target(
      'waiting at most',
      report.backlogMax,
      { atMost: round2(predicted.backlogMax) },
      'deliveries',
    ),
    target('recovered after', report.recoveredS, { atMost: round2(predicted.recoveredS) }, 's'),
  ]
}

/** How far what the exchange really sends is from what the model says. */
async function exchangeTargets({
  gateways,
  exchange,
}: ReturnType<typeof capacityOf>): Promise<Target[]> {
  const { callsPerSecond, teams } = MILLIONS
  const { machines } = gateways
  const run = { machines, callsPerSecond, teams, seed: 1, ticks: TICKS }
  const report = await simulateExchange(run)
  const sent = report.sentBytesPerSecond / machines / exchange.sentBytesPerSecond
  const frames = report.framesPerSecond / exchange.framesPerSecond
  return [
    target('bytes of limit frames, against the model', sent, { atLeast: 0.8, atMost: 1.2 }),
    target('limit frames, against the model', frames, { atLeast: 0.8, atMost: 1.2 }),
  ]
}

/** The worst of several seeds in each respect. */
async function worstOf(
  couriers: number,
  perSecondEach: number,
  seeds: number,
): Promise<CourierReport> {
  const times = { killAtS: KILL_AT_S, afterS: AFTER_S }
  const reports: CourierReport[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const run = { load: MILLIONS, couriers, perSecondEach, seed, ...times }
    reports.push(await simulateCouriers(run, burstOf(MILLIONS)))
  }
  const most = (of: (report: CourierReport) => number) => Math.max(...reports.map(of))
  return {
    deliveries: most(({ deliveries }) => deliveries),
    steadyLagS: most(({ steadyLagS }) => steadyLagS),
    backlogMax: most(({ backlogMax }) => backlogMax),
    lagMaxS: most(({ lagMaxS }) => lagMaxS),
    recoveredS: most(({ recoveredS }) => recoveredS),
    backlogAtEnd: most(({ backlogAtEnd }) => backlogAtEnd),
  }
}
