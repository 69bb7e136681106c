/** Figures as everybody reads them: 12,345 · 34.32 CU · 99.98 % · 184 ms. */

const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const HUNDREDTHS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 })

const SCALE = [
  { from: 1e9, letter: 'B' },
  { from: 1e6, letter: 'M' },
] as const
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const
const BYTES = ['B', 'KB', 'MB', 'GB', 'TB'] as const

export function whole(value: number): string {
  return WHOLE.format(value)
}

/** 12,345 stays, 1,234,567 becomes 1.23 M. */
export function short(value: number): string {
  const scale = SCALE.find(({ from }) => value >= from)
  if (!scale) return HUNDREDTHS.format(value)
  return `${HUNDREDTHS.format(value / scale.from)} ${scale.letter}`
}

export function cu(value: number): string {
  return `${short(value)} CU`
}

export function percent(value: number): string {
  return `${HUNDREDTHS.format(value)} %`
}

/** How many of some calls succeeded, never rounded up to all of them. */
export function succeededPercent(calls: number, errors: number): string {
  return percent(Math.floor((1 - errors / calls) * 10_000) / 100)
}

export function ms(value: number): string {
  if (value >= 10_000) return `${HUNDREDTHS.format(Math.round(value / 100) / 10)} s`
  return value >= 10 ? `${WHOLE.format(value)} ms` : `${HUNDREDTHS.format(value)} ms`
}

export function bytes(value: number): string {
  return scaled(value, 1000, BYTES)
}

/** A limit that is set in powers of two: 64 MiB, 1 GiB. */
export function binaryBytes(value: number): string {
  return scaled(value, 1024, BINARY)
}

function scaled(value: number, base: number, units: readonly string[]): string {
  const power = units.findLastIndex((_, at) => at === 0 || value >= base ** at)
  return `${HUNDREDTHS.format(value / base ** power)} ${units[power]}`
}

/** `0x3b9a…f0a2`: the middle says nothing to a reader. */
export function middleCut(text: string, ends = { head: 6, tail: 4 }): string {
  if (text.length <= ends.head + ends.tail + 1) return text
  return `${text.slice(0, ends.head)}…${text.slice(-ends.tail)}`
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`
}
