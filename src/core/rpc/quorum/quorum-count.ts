export type QuorumCount<T> = ReturnType<typeof openQuorumCount<T>>

export function openQuorumCount<T>(agree: number, alike: (one: T, other: T) => boolean) {
  const groups: T[][] = []
  let agreed: T[] | null = null
  return {
    /** Adds an answer. True when it is the one by which enough are alike. */
    add(answer: T): boolean {
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
    /** The answers that enough upstreams gave alike; null while there are too few. */
    get agreed(): readonly T[] | null {
      return agreed
    },
    /** How many different answers there are. */
    get sides(): number {
      return groups.length
    },
    canAgree: (toCome: number) =>
      Math.max(0, ...groups.map(({ length }) => length)) + toCome >= agree,
    dissenting: () => groups.filter((group) => group !== agreed).flat(),
  }
}
