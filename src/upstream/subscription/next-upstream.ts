import type { Upstream } from '../node/upstream.ts'
import type { Selection } from '../pool/selection.ts'

/** The next one after the last, those in use first; the same again when there is no other. */
export function nextUpstream(
  { upstreams, stateOf }: Selection,
  last: Upstream | null,
): Upstream | null {
  const able = upstreams.filter(({ spec, chain }) => spec.ws !== undefined && chain !== 'wrong')
  const used = able.filter((upstream) => stateOf.get(upstream) === 'used')
  const choice = used.length > 0 ? used : able
  const at = last === null ? -1 : choice.indexOf(last)
  return choice[(at + 1) % choice.length] ?? null
}
