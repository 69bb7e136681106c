import type { Block, Header } from '../core/chain/block.ts'
import { withHeader } from '../core/chain/tail.ts'
import { recordEvent, webhooksWithDeliveryAt } from '../tables/chain/chain-events.ts'
import { TAIL_LENGTH_MAX } from '../upstream/follow/chain-state.ts'
import type { BlockPrefetch } from '../upstream/follow/prefetch-blocks.ts'
import type { FollowerState } from './follower-state.ts'

export type EventKind = 'first' | 'extends' | 'forks'

export type BranchEvent = { header: Header; kind: EventKind; finalized: number | null }

/**
 * One event: reads the block, runs every standing query on it, and commits tail, sequence
 * number and what is due together. Hot path: between a block and its deliveries lies this.
 */
export async function runQueries(
  state: FollowerState,
  { header, kind, finalized }: BranchEvent,
  blocks: BlockPrefetch,
): Promise<'committed' | 'gone' | 'moved_elsewhere' | 'stopped'> {
  const { standing } = state
  const { clock, database } = state.world
  const network = state.service.network.id
  const startedAtMs = clock.monotonicMs()
  await standing.refresh()
  const engine = standing.engineOf(network)

  const block = await blocks.read(header, engine.wants())
  // The header was announced by a node, which may have named another parent.
  if (!block || block.header.parentHash !== header.parentHash) return 'gone'
  if (!state.mayCommit()) return 'stopped'

  const readAtMs = clock.monotonicMs()
  const removed = standing.notifiesRemoved(network)
    ? await webhooksWithDeliveryAt(database, network, header.number)
    : undefined
  const due = engine.run(block, removed)
  if (!state.mayCommit()) return 'stopped'

  const ranAtMs = clock.monotonicMs()
  const keepFrom = Math.min(finalized ?? 0, header.number)
  const tail = withHeader(state.tail, header, keepFrom, TAIL_LENGTH_MAX)
  const committing = recordEvent(database, {
    network,
    previousSequence: state.sequenceNumber,
    header,
    kind,
    finalized,
    keepFrom: tail[0]?.number ?? header.number,
    atMs: clock.nowMs(),
    due: due.map(({ result, ids }) => ({
      data: result.text,
      bytes: result.bytes,
      truncation: result.truncation,
      isVerified: block.isProven === true,
      webhookIds: ids,
    })),
  })
  state.commit = committing
  const recorded = await committing
  if (recorded === 'lost') {
    state.isLoaded = false
    return 'moved_elsewhere'
  }
  state.tail = tail
  state.sequenceNumber = recorded.sequenceNumber
  state.finalized = finalized
  const { deliveries } = recorded
  if (deliveries.length > 0) state.committed(recorded)
  report(state, block, kind, deliveries.length, {
    read_ms: readAtMs - startedAtMs,
    run_ms: ranAtMs - readAtMs,
    commit_ms: clock.monotonicMs() - ranAtMs,
  })
  return 'committed'
}

function report(
  { world: { telemetry }, service, sequenceNumber }: FollowerState,
  { header, has, transactionCount, isProven = false }: Block,
  kind: EventKind,
  deliveries: number,
  times: { read_ms: number; run_ms: number; commit_ms: number },
): void {
  const network = service.network.id
  telemetry.count('headgate_blocks_total', { network })
  if (deliveries > 0) telemetry.count('headgate_deliveries_due_total', { network }, deliveries)
  for (const [part, ms] of Object.entries(times)) {
    telemetry.observeMs(
      'headgate_block_duration_seconds',
      { network, part: part.replace('_ms', '') },
      ms,
    )
  }
  const rounded = Object.entries(times).map(([name, ms]) => [name, Math.round(ms * 100) / 100])
  telemetry.log('info', 'block', {
    network,
    number: header.number,
    hash: header.hash,
    sequence_number: sequenceNumber,
    kind,
    transactions: transactionCount,
    receipts: has.receipts,
    traces: has.traces,
    proven: isProven,
    deliveries,
    ...Object.fromEntries(rounded),
  })
}
