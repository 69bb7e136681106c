import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { BlockProver } from '../../ports/block-prover.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { askLogs } from '../logs/ask-logs.ts'
import { type LogService, openLogReads } from '../logs/log-service.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { openQuorum, type Quorum } from '../quorum/open-quorum.ts'
import { type BlockVerifying, openBlockVerifying } from './block-verifying.ts'

export type ReadService = LogService & {
  /** Asks several upstreams, for the reads whose rule says so. */
  quorum: Quorum
  verifying: BlockVerifying
}

export type ReadNeeds = {
  clock: Clock
  telemetry: Telemetry
  /** Absent where it may take the time of this thread. */
  prover?: BlockProver
}

/** The parts of a network that only reads of several upstreams need. */
export function openReads(needs: ReadNeeds, pool: UpstreamPool) {
  const { clock, telemetry } = needs
  return {
    quorum: openQuorum(telemetry, pool),
    logReads: openLogReads(clock, telemetry),
    verifying: openBlockVerifying(pool.network, needs.prover),
  }
}

/** Reads from as many upstreams as the method takes: a vote, pieces of a range, or one. */
export function askUpstreams(
  service: ReadService,
  call: PoolCall,
  head: HeadView | null,
  transport: (call: PoolCall) => Promise<PoolAnswer>,
): Promise<PoolAnswer> {
  const vote = service.quorum(call)
  if (vote) return vote
  if (call.of.depends !== 'logs') return transport(call)
  return askLogs(service, call, head ?? service.pool.selection.head, transport)
}
