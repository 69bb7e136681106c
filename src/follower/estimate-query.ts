import { within } from '../core/async/within.ts'
import type { Block } from '../core/chain/block.ts'
import { Rejection } from '../core/errors.ts'
import { quantityToNumber } from '../core/hex.ts'
import type { World } from '../ports/world.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { type DryRun, runOnBlock, type TriedQuery, wholeBlock } from './dry-run.ts'

/** A query's results on some of the newest blocks, without a gap. */
export type QueryEstimate = {
  /** Oldest first, at least one. */
  samples: readonly BlockSample[]
  /** From the oldest block to the newest, by their own times. */
  spanMs: number
  missingVariables: readonly string[]
}

export type BlockSample = Pick<DryRun, 'bodyBytes'> & {
  number: number
  empty: boolean
  matched: Readonly<Record<string, number>>
}

export const ESTIMATE_BLOCKS_AT_ONCE = 2

/** A page waits for it: fewer blocks now tell more than all of them later. */
const ESTIMATE_MS_MAX = 15_000

/**
 * Runs a query on the newest blocks, newest first, until there are enough, time is up or a block
 * cannot be read. Refused only when not even the newest could be read.
 */
export async function estimateQuery(
  world: World,
  service: NetworkService,
  tried: TriedQuery,
  blocksMax: number,
  /** Called with work that goes on when the estimate is given. */
  keep: (work: Promise<unknown>) => void,
): Promise<QueryEstimate | Rejection> {
  const { clock } = world
  const deadlineMs = clock.monotonicMs() + ESTIMATE_MS_MAX
  const newest = await wholeBlock(service, null, tried.plan.wants)
  if (newest instanceof Rejection) return newest

  const first = await runOnBlock(world, service, tried, newest)
  const { missingVariables } = first
  const samples = [sampleOf(first)]
  let oldest = newest
  while (samples.length < blocksMax && oldest.header.number > 0) {
    const leftMs = deadlineMs - clock.monotonicMs()
    if (leftMs <= 0) break
    const wanted = Math.min(ESTIMATE_BLOCKS_AT_ONCE, blocksMax - samples.length)
    const reading = readBefore(service, tried, oldest.header.number, wanted)
    keep(reading)
    const blocks = await within(clock, leftMs, reading, () => [])
    for (const block of blocks) {
      samples.push(sampleOf(await runOnBlock(world, service, tried, block)))
      oldest = block
    }
    if (blocks.length < wanted) break
  }
  const spanMs = (secondsOf(newest) - secondsOf(oldest)) * 1000
  return { samples: samples.reverse(), spanMs, missingVariables }
}

/** The blocks just before a height, newest first, as far as they could be read without a gap. */
async function readBefore(
  service: NetworkService,
  { plan }: TriedQuery,
  height: number,
  wanted: number,
): Promise<Block[]> {
  const numbers = Array.from({ length: wanted }, (_, at) => height - 1 - at)
  const read = await Promise.all(
    numbers
      .filter((number) => number >= 0)
      .map((number) => wholeBlock(service, { number }, plan.wants)),
  )
  const blocks: Block[] = []
  for (const block of read) {
    if (block instanceof Rejection) break
    blocks.push(block)
  }
  return blocks
}

function sampleOf({ header, outcome, bodyBytes }: DryRun): BlockSample {
  const { empty, matched } = outcome
  return { number: header.number, bodyBytes, empty, matched }
}

function secondsOf({ raw }: Block): number {
  return quantityToNumber(raw.timestamp) ?? 0
}
