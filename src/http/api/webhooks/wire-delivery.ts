import type { LoggedDelivery } from '../../../tables/deliveries/log/logged-delivery.ts'
import type { Replay } from '../../../tables/webhooks/replays.ts'
import type { WireDelivery, WireReplay } from '../../contract/contract.ts'

export function wireDelivery(delivery: LoggedDelivery): WireDelivery {
  const { lastAttempt } = delivery
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    network: delivery.network,
    kind: delivery.kind,
    status: delivery.state,
    sequence_number: delivery.sequenceNumber?.toString() ?? null,
    block_number: delivery.blockNumber,
    block_hash: delivery.blockHash,
    replay: delivery.replay,
    rerun: delivery.isRerun,
    superseded: delivery.isSuperseded,
    attempts_made: delivery.attemptsMade,
    status_code: lastAttempt?.status ?? null,
    fault: lastAttempt ? wireFault(lastAttempt.fault) : null,
    took_ms: lastAttempt?.tookMs ?? null,
    bytes: delivery.bodyBytes,
    time_created: delivery.createdAtMs,
    time_due: delivery.dueAtMs,
    time_done: delivery.doneAtMs,
  }
}

/** The owner of a name could otherwise learn which names an inner network has. */
export function wireFault(fault: string | null): string | null {
  return fault === 'refused_address' ? 'dns' : fault
}

export function wireReplay(replay: Replay): WireReplay {
  return {
    id: replay.id,
    webhook_id: replay.webhookId,
    network: replay.network,
    from_block: replay.fromBlock,
    to_block: replay.toBlock,
    next_block: replay.nextBlock,
    state: replay.state,
    delivered: replay.delivered,
    skipped: replay.skipped,
    error: replay.error,
    time_created: replay.createdAtMs,
    time_updated: replay.updatedAtMs,
  }
}
