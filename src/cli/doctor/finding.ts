/** `wrong`: it cannot be used so. `warning`: it costs something. `note`: good to know. */
export type FindingLevel = 'wrong' | 'warning' | 'note'

export type Finding = {
  level: FindingLevel
  network: string
  /** Null: it is about the network. */
  upstream: string | null
  text: string
  /** As it stands in the configuration, such as `batchMax: 20`. */
  option: string | null
}

/** The gravest first, else in the order of the configuration. */
export function gravestFirst(findings: readonly Finding[]): Finding[] {
  const order = { wrong: 0, warning: 1, note: 2 }
  return findings.toSorted((a, b) => order[a.level] - order[b.level])
}
