import type { Head } from '../api/recent-heads.ts'
import type { StripMark } from './strip.tsx'
import { ms, whole } from './text/format.ts'

/** The newest marks stand out, so that the eye finds the present. */
const FRESH_MARKS = 3

/** A mark of a block that took as long as usual is this tall. */
const USUAL_SIZE = 0.55

/** One mark a block. Violet is a reorganisation, and nothing else. */
export function headMarks(heads: readonly Head[], blockTimeMs: number): StripMark[] {
  return heads.map((head, at) => {
    const before = heads[at - 1]
    const tookMs = before ? Math.max(0, head.time - before.time) : blockTimeMs
    const isFresh = at >= heads.length - FRESH_MARKS
    const isFork = head.reorganised_from !== null
    return {
      kind: isFork ? 'fork' : isFresh ? 'ok' : 'calm',
      size: Math.min(1, (tookMs / blockTimeMs) * USUAL_SIZE),
      tip: `${whole(head.number)}  ${isFork ? 'reorganised' : before ? ms(tookMs) : ''}`.trim(),
    }
  })
}
