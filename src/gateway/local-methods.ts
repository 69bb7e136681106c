import type { CacheStatus, NetworkService } from '../upstream/answers/ask-network.ts'
import type { HeldAnswer } from './pieces-stream.ts'

/**
 * The answer of a local method. Text, bytes or a stream are the JSON of `result`, at times
 * with a member behind it that stands beside the result in the reply.
 */
type LocalAnswer =
  | { kind: 'result'; text: string; upstream: string; cache: CacheStatus }
  | { kind: 'stream'; stream: ReadableStream<Uint8Array>; upstream: string; cache: CacheStatus }
  | ({ kind: 'bytes'; upstream: string; cache: CacheStatus } & HeldAnswer)
  /** `text` is the error object. Without an upstream it is ours, and costs nothing. */
  | { kind: 'error'; code: number; text: string; upstream: string | null }

/** Methods that an engine of ours answers, instead of passing them to a node as they are. */
export type LocalMethods = {
  /** Throws a Failure when no node could answer, before a byte of an answer was given. */
  serve(
    service: NetworkService,
    method: string,
    paramsText: string,
    teamId: string,
  ): Promise<LocalAnswer>
}

const SOLANA_METHODS: ReadonlySet<string> = new Set(['getProgramAccounts', 'getProgramAccountsV2'])

export function isLocalMethod({ network }: NetworkService, method: string): boolean {
  return network.kind === 'solana' && SOLANA_METHODS.has(method)
}
