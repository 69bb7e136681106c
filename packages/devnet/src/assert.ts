/** A broken invariant is a bug of ours: crash where it is found, not where it hurts. */
export function assert(holds: boolean, invariant: string): asserts holds {
  if (!holds) throw new Error(`broken invariant: ${invariant}`)
}
