import type { Block, BlockWants, Header } from '../core/chain/block.ts'
import { dataBody } from '../core/delivery/envelope.ts'
import { Failure, Rejection } from '../core/errors.ts'
import { runOnce } from '../core/query/engine/run-once.ts'
import type { QueryPlan } from '../core/query/language/query-plan.ts'
import type { QueryResult } from '../core/query/output/query-result.ts'
import type { World } from '../ports/world.ts'
import type { NetworkService } from '../upstream/answers/ask-network.ts'
import { readBlock } from '../upstream/blocks/block-reader.ts'
import { variablesOnBlock } from './variables-on-block.ts'
import { findWhichBlock, type WhichBlock } from './which-block.ts'

export type TriedQuery = { teamId: string; plan: QueryPlan }

export type DryRun = {
  header: Header
  outcome: QueryResult
  /** The size of the whole body that would be delivered. */
  bodyBytes: number
  missingVariables: readonly string[]
}

/** Ids as long as those of a real delivery, so that the body has its size. */
const WEBHOOK_ID = `wh_${'0'.repeat(16)}`
const DELIVERY_ID = `whevt_${'0'.repeat(16)}`
const SEQUENCE_NUMBER = 1_000_000_000_001

/** Runs a query on a block, by default the newest. Nothing is stored or delivered. */
export async function dryRun(
  world: World,
  service: NetworkService,
  tried: TriedQuery,
  which: WhichBlock | null,
): Promise<DryRun | Rejection> {
  const block = await wholeBlock(service, which, tried.plan.wants)
  return block instanceof Rejection ? block : runOnBlock(world, service, tried, block)
}

export async function runOnBlock(
  world: World,
  service: NetworkService,
  { teamId, plan }: TriedQuery,
  block: Block,
): Promise<DryRun> {
  const { sets, missing } = await variablesOnBlock(world.database, teamId, plan.variables, block)
  const outcome = runOnce(plan, block, (name) => sets.get(name))

  const envelope = {
    webhookId: WEBHOOK_ID,
    deliveryId: DELIVERY_ID,
    createdAtMs: world.clock.nowMs(),
    network: service.network.id,
    sequenceNumber: SEQUENCE_NUMBER,
    truncation: outcome.truncation,
  }
  const bodyBytes = Buffer.byteLength(dataBody(envelope, '')) + outcome.bytes
  return { header: block.header, outcome, bodyBytes, missingVariables: missing }
}

/** A block with all that a query wants of it; null is the newest. */
export async function wholeBlock(
  service: NetworkService,
  which: WhichBlock | null,
  wants: BlockWants,
): Promise<Block | Rejection> {
  try {
    const found = await findWhichBlock(service, which)
    const block = found && (await readBlock(service, found.header, wants, found.upstream))
    return block ?? new Rejection('not_found', unknownText(service, which))
  } catch (thrown) {
    return unread(service, wants, thrown)
  }
}

function unknownText({ network }: NetworkService, which: WhichBlock | null): string {
  if (which === null) return `The newest block of ${network.id} was replaced; please try again.`
  const told = 'hash' in which ? `with the hash ${which.hash}` : `number ${which.number}`
  return `block: ${network.id} has no block ${told}.`
}

/** The caller is not told which node it was, nor what it said: that is for the log. */
function unread({ network }: NetworkService, wants: BlockWants, thrown: unknown): Rejection {
  if (!(thrown instanceof Failure) || !thrown.code.startsWith('upstream_')) throw thrown
  if (thrown.code === 'upstream_timed_out') {
    return new Rejection('upstream_timeout', `No ${network.id} node gave the block in time.`)
  }
  const parts = wants.traces ? ' with its call traces' : wants.receipts ? ' with its receipts' : ''
  return new Rejection(
    'upstream_failed',
    `No ${network.id} node could give the block${parts}; please try again.`,
    { retryAfterS: 1 },
  )
}
