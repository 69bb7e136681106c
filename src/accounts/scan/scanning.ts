import type { Failure } from '../../core/errors.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { PageContext } from '../../core/solana/request/page-form.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { ownCall } from '../../upstream/pool/ask-upstream.ts'
import type { PoolCall } from '../../upstream/pool/routed-request.ts'
import type { LogRoom } from '../record-log/byte-log.ts'
import type { RecordLog } from '../record-log/record-log.ts'

export type Scanning = {
  clock: Clock
  room: LogRoom
  service: NetworkService
  call: ProgramAccountsCall
  /** Aborted when nobody waits for it any more, or it takes too long. */
  signal: AbortSignal
  /** From here on the records are read, and sent, while more come: there is no second try. */
  show(found: Found): void
}

export type Found = { upstream: string; context: PageContext; log: RecordLog }

export type Scanned =
  | { kind: 'whole'; found: Found }
  | { kind: 'refused'; error: Omit<NodeError, 'kind'>; upstream: string }
  /** No usable answer. Once it was shown, its log has told its readers. */
  | { kind: 'broken'; failure: Failure; upstream: string | null; wasShown: boolean }

/** A call of ours to an upstream; not one that a client made, so nothing of it is kept. */
export function poolCall(service: NetworkService, method: string, paramsText: string): PoolCall {
  const more = { paramsText, atHead: true, heavy: true, unhedged: true }
  return ownCall(service.methods, method, [], more)
}
