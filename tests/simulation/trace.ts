type Fact = string | number | boolean | null
type Entry = { atMs: number; who: string; what: string; facts: readonly Fact[] }

/** The incidents of a run, to be read by somebody who has to find out why it failed. */
export type Trace = {
  note(who: string, what: string, ...facts: readonly Fact[]): void
  /** Counts what is too frequent to be listed, so that two runs can still be compared by it. */
  stir(fact: number): void
  lines(): string[]
  /** Whether something of this name happened. */
  tells(what: string): boolean
}

export function openTrace(elapsedMs: () => number): Trace {
  const entries: Entry[] = []
  let stirred = 0
  return {
    note: (who, what, ...facts) => void entries.push({ atMs: elapsedMs(), who, what, facts }),
    stir(fact) {
      stirred = (Math.imul(stirred, 31) + fact) | 0
    },
    tells: (what) => entries.some((entry) => entry.what === what || entry.facts.includes(what)),
    lines: () => [...entries.map(lineOf), `checksum of all calls ${stirred >>> 0}`],
  }
}

function lineOf({ atMs, who, what, facts }: Entry): string {
  const time = (atMs / 1000).toFixed(3).padStart(9)
  return `${time}  ${who.padEnd(8)} ${what} ${facts.join(' ')}`.trimEnd()
}
