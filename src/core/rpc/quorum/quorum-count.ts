export type QuorumCount<T> = {
  /** Adds an answer. True when it is the one by which enough are alike. */
  add(answer: T): boolean
  /** The answers that enough upstreams gave alike; null while there are too few. */
  readonly agreed: readonly T[] | null
  /** How many different answers there are. */
  readonly sides: number
  canAgree(toCome: number): boolean
  dissenting(): T[]
}

export function openQuorumCount<T>(
  agree: number,
  alike: (one: T, other: T) => boolean,
): QuorumCount<T> {
  const groups: T[][] = []
  let agreed: T[] | null = null
  return {
    add(answer) {
      let group = groups.find(([first]) => first !== undefined && alike(first, answer))
      if (!group) {
        group = []
        groups.push(group)
      }
      group.push(answer)
      if (agreed || group.length < agree) return false
      agreed = group
      return true
    },
    get agreed() {
      return agreed
    },
    get sides() {
      return groups.length
    },
    canAgree: (toCome) => Math.max(0, ...groups.map(({ length }) => length)) + toCome >= agree,
    dissenting: () => groups.filter((group) => group !== agreed).flat(),
  }
}
