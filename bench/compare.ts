/** One measurement of one contender. */
export type Sample = {
  perSecond: number
  cpuUsPerCall: number
  p50Ms: number
  p99Ms: number
  failed: number
}

export type Row = {
  name: string
  perSecond: number
  spread: [low: number, high: number]
  /** Round by round. */
  perSecondIn: readonly number[]
  cpuUsPerCall: number
  p50Ms: number
  p99Ms: number
  failed: number
}

export type Target = { what: string; wanted: string; measured: string; met: boolean | null }

export type Result = {
  scenario: string
  title: string
  rows: Row[]
  targets: Target[]
  notes: string[]
}

export type Effort = { rounds: number; seconds: number }

export type Scenario = (effort: Effort) => Promise<Result>

/** Fewer rounds say nothing on a busy machine. */
export const FULL: Effort = { rounds: 5, seconds: 4 }

/** Only shows that the scenario still runs. */
export const TINY: Effort = { rounds: 1, seconds: 0.1 }

/**
 * Measures all contenders in every round, in turned order, so that whatever the
 * machine does meanwhile hits each of them alike; the first of several rounds only warms up.
 */
export async function compare(
  effort: Effort,
  contenders: readonly { name: string; measure(): Promise<Sample> }[],
): Promise<Row[]> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
  for (let round = effort.rounds > 1 ? 0 : 1; round <= effort.rounds; round++) {
    const order = round % 2 === 0 ? contenders : contenders.toReversed()
    for (const { name, measure } of order) {
      const sample = await measure()
      if (round > 0) samples.get(name)?.push(sample)
    }
  }
  return contenders.map(({ name }) => toRow(name, samples.get(name) ?? []))
}

/** Measures the next of them each time. */
export function inTurns<T>(
  all: readonly T[],
  measure: (one: T) => Promise<Sample>,
): () => Promise<Sample> {
  let turn = 0
  return () => measure(all[turn++ % all.length] as T)
}

/** How many times as fast one is as the other: the median of what each round says. */
export function ratioOf(one: Row | undefined, other: Row | undefined): number {
  const rates = other?.perSecondIn ?? []
  return median(rates.map((rate, round) => (one?.perSecondIn[round] ?? 0) / rate))
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  if (sorted.length % 2 === 1) return sorted[middle] ?? 0
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

/** `at least` for a floor, `at most` for a ceiling. */
export function target(
  what: string,
  measured: number,
  bound: { atLeast?: number; atMost?: number },
  unit = '×',
): Target {
  const met =
    (bound.atLeast === undefined || measured >= bound.atLeast) &&
    (bound.atMost === undefined || measured <= bound.atMost)
  const wanted =
    bound.atLeast === undefined ? `≤ ${bound.atMost} ${unit}` : `≥ ${bound.atLeast} ${unit}`
  return { what, wanted, measured: `${round2(measured)} ${unit}`, met }
}

export function print(result: Result): void {
  console.log(`\n${result.scenario}  ${result.title}`)
  if (result.rows.length > 0) console.table(result.rows.map(printable))
  for (const { what, wanted, measured, met } of result.targets) {
    const word = met === null ? 'not measured' : met ? 'met' : 'MISSED'
    console.log(`  ${what}: ${measured} (wanted ${wanted}) ${word}`)
  }
  for (const note of result.notes) console.log(`  ${note}`)
}

export function round2(value: number): number {
  return Math.round(value * 100) / 100
}

function printable(row: Row) {
  return {
    who: row.name,
    'calls/s': Math.round(row.perSecond),
    'low–high': `${Math.round(row.spread[0])}–${Math.round(row.spread[1])}`,
    'CPU µs': Math.round(row.cpuUsPerCall * 10) / 10,
    'p50 ms': round2(row.p50Ms),
    'p99 ms': round2(row.p99Ms),
    failed: row.failed,
  }
}

function toRow(name: string, samples: readonly Sample[]): Row {
  const perSecond = samples.map((sample) => sample.perSecond)
  return {
    name,
    perSecond: median(perSecond),
    perSecondIn: perSecond,
    spread: [Math.min(...perSecond), Math.max(...perSecond)],
    cpuUsPerCall: median(samples.map((sample) => sample.cpuUsPerCall)),
    p50Ms: median(samples.map((sample) => sample.p50Ms)),
    p99Ms: median(samples.map((sample) => sample.p99Ms)),
    failed: samples.reduce((sum, sample) => sum + sample.failed, 0),
  }
}
