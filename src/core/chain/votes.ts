export type Votes = {
  /** The number of upstreams that hold the block of that hash. */
  held: ReadonlyMap<string, number>
  /** The number that did not answer, and might hold any. */
  silent: number
}

type Place = { number: number; hash: string }

/** More hold this block than any other, whatever the silent ones hold. */
export function isCorroborated({ held, silent }: Votes, hash: string): boolean {
  const ours = held.get(hash) ?? 0
  if (ours <= silent) return false
  for (const [other, count] of held) {
    if (other !== hash && count + silent >= ours) return false
  }
  return true
}

export function isOutvoted({ held }: Votes, hash: string): boolean {
  const ours = held.get(hash) ?? 0
  return [...held.values()].some((count) => count > ours)
}

/**
 * The height up to which most of those who have a say stand on a chain, by their heads: so
 * much of it is not one node's invention. Null when most are elsewhere or have not said.
 */
export function majorityHeight(
  heads: readonly (Place | null)[],
  holds: (head: Place) => boolean,
): number | null {
  const reached = heads.map((head) => (head && holds(head) ? head.number : -1))
  const height = reached.sort((one, other) => other - one)[Math.floor(heads.length / 2)] ?? -1
  return height < 0 ? null : height
}
