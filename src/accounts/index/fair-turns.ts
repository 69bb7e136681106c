/** Lets few run at once; turns go round between teams, however much one of them asks for. */
export type FairTurns = { run<T>(team: string, work: () => Promise<T>): Promise<T> }

export function openFairTurns(atOnceMax: number): FairTurns {
  /** The waiting reads, by team; the team whose turn is next stands first. */
  const lines = new Map<string, (() => void)[]>()
  let running = 0

  const wait = (team: string) =>
    new Promise<void>((resolve) => {
      const line = lines.get(team)
      if (line) line.push(resolve)
      else lines.set(team, [resolve])
    })

  const leave = () => {
    const [first] = lines
    if (!first) {
      running--
      return
    }
    const [team, line] = first
    const begin = line.shift()
    lines.delete(team)
    if (line.length > 0) lines.set(team, line)
    begin?.()
  }

  return {
    async run(team, work) {
      if (running < atOnceMax) running++
      else await wait(team)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
