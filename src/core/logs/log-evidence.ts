import type { Header } from '../chain/block.ts'
import { bloomIn } from '../chain/checks.ts'
import { headerIn } from '../chain/header.ts'
import { type BloomBits, isZeroBloom } from '../chain/logs-bloom.ts'
import { isJsonObject } from '../json/json-value.ts'
import { bloomMayMatch } from '../subscriptions/read-log-filter.ts'
import type { BlockRange, LogKeys } from './log-filter.ts'
import type { LogList } from './log-list.ts'

/** A header with the bloom of its block's logs; null where it has none. */
export type LogHeader = Header & { bloom: Uint8Array | null }

/** A node that cuts lists off does so at round numbers. */
const CUT_COUNT_MIN = 1000
const CUT_COUNT_STEP = 500

export function logHeaderIn(block: unknown): LogHeader | null {
  const header = headerIn(block)
  if (!header || !isJsonObject(block)) return null
  return { ...header, bloom: bloomIn(block) }
}

/**
 * The evidence of a bloom for logs of a filter: there are none, perhaps some, or it is silent,
 * where the chain keeps no blooms.
 */
export function evidenceOf(
  bloom: Uint8Array | null,
  keys: LogKeys,
  known: BloomBits,
  mayBeZero: boolean,
): 'none' | 'perhaps' | 'silent' {
  if (bloom === null) return 'silent'
  if (isZeroBloom(bloom)) return mayBeZero ? 'silent' : 'none'
  return bloomMayMatch(keys, bloom, known) ? 'perhaps' : 'none'
}

/** Some of the blocks without a log, spread evenly, the last of them always among them. */
export function blocksToCheck({ from, to }: BlockRange, { marks }: LogList, max: number): number[] {
  const filled = new Set(marks.map(({ block }) => block))
  const blocks: number[] = []
  const step = Math.max(1, (to - from + 1) / max)
  for (let back = 0; back <= to - from && blocks.length < max; back += step) {
    const block = to - Math.floor(back)
    if (!filled.has(block)) blocks.push(block)
  }
  return blocks
}

export function looksCutOff({ marks: { length } }: LogList): boolean {
  const isPowerOfTwo = (length & (length - 1)) === 0
  return length >= CUT_COUNT_MIN && (length % CUT_COUNT_STEP === 0 || isPowerOfTwo)
}
