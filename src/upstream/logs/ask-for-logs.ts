import { Failure } from '../../core/errors.ts'
import { quantityToNumber } from '../../core/hex.ts'
import { parseJson } from '../../core/json/json-value.ts'
import type { BlockRange } from '../../core/logs/log-filter.ts'
import { type LogList, readLogList } from '../../core/logs/log-list.ts'
import { type LogRefusal, logRefusal } from '../../core/logs/log-refusal.ts'
import { learnSpan } from '../../core/logs/log-span.ts'
import { blocksIn } from '../../core/logs/split-piece.ts'
import type { NodeError } from '../../core/rpc/node-reply.ts'
import type { Upstream } from '../node/upstream.ts'
import type { PoolCall } from '../pool/routed-request.ts'
import { requestAny, requestFrom } from '../pool/upstream-pool.ts'
import type { LogService } from './log-service.ts'

export type AskedLogs =
  | { kind: 'logs'; list: LogList; upstream: string }
  | { kind: 'refused'; refusal: LogRefusal; last: NodeError | Failure; upstream: string }
  | { kind: 'error'; error: NodeError; upstream: string }

export type LogsWanted = {
  params: unknown[]
  range: BlockRange
  bytesMax: number
  /** The one upstream to ask; null: any. */
  from: Upstream | null
}

/** Asks for logs in the name of a call. Throws a Failure when there is no usable answer. */
export async function askForLogs(
  service: LogService,
  caller: PoolCall,
  { params, range, bytesMax, from }: LogsWanted,
): Promise<AskedLogs> {
  const { pool } = service
  const blocks = blocksIn(range)
  const call: PoolCall = {
    ...caller,
    params,
    paramsText: JSON.stringify(params),
    atHead: false,
    heightMin: range.to,
    logBlocks: blocks,
    heardError: learnFrom(service, blocks),
  }
  const upstream = from?.spec.name ?? ''
  try {
    const answer = await (from ? requestFrom(pool, from, call) : requestAny(pool, call))
    const { reply } = answer
    if (reply.kind === 'error') return judge(reply, blocks, answer.upstream)
    if (reply.kind === 'error_stream') {
      await reply.stream.cancel()
      throw new Failure('upstream_answered_badly', { reason: 'a long error' })
    }
    const text = reply.kind === 'stream' ? await collected(reply.stream, bytesMax) : reply.text
    const value = reply.kind === 'result' ? reply.value : parseJson(text)
    const list = readLogList(text, value, range)
    if (!list) throw new Failure('upstream_answered_badly', { reason: 'no list of logs' })
    return { kind: 'logs', list, upstream: answer.upstream }
  } catch (thrown) {
    if (!(thrown instanceof Failure)) throw thrown
    const refusal = refusalIn(thrown)
    if (!refusal) throw thrown
    const { lastBlock } = thrown.facts
    // As many bytes as were read are enough for four pieces.
    if (typeof lastBlock === 'number') refusal.blocks = blocksPerPiece(range, lastBlock)
    return { kind: 'refused', refusal, last: thrown, upstream }
  }
}

/** Remembers for which ranges upstreams are too narrow, each by its own words. */
export function learnFrom(
  { pool }: LogService,
  blocks: number,
): NonNullable<PoolCall['heardError']> {
  return (upstream, error) => {
    const refusal = logRefusal(error, blocks)
    if (refusal?.kind !== 'range') return
    learnSpan(upstream.logSpan, blocks, refusal.blocks, pool.clock.monotonicMs())
  }
}

/** A failure that a smaller piece may not have; null for others. */
export function refusalIn({ code, facts: { reason } }: Failure): LogRefusal | null {
  if (code === 'upstream_timed_out') return { kind: 'time', blocks: null }
  return reason === 'http_413' || reason === TOO_LONG ? { kind: 'size', blocks: null } : null
}

const TOO_LONG = 'answer_too_large'

function judge(error: NodeError, blocks: number, upstream: string): AskedLogs {
  const refusal = logRefusal(error, blocks)
  return refusal
    ? { kind: 'refused', refusal, last: error, upstream }
    : { kind: 'error', error, upstream }
}

async function collected(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of stream) {
      bytes += chunk.length
      // Left early, the loop gives the rest up.
      if (bytes > bytesMax) throw tooLong(chunk)
      chunks.push(chunk)
    }
  } catch (thrown) {
    if (thrown instanceof Failure) throw thrown
    throw new Failure('upstream_answered_badly', { reason: 'an answer that ends early' }, thrown)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Says how far the logs went that came. */
function tooLong(chunk: Uint8Array): Failure {
  const blocks = Buffer.from(chunk)
    .toString('latin1')
    .match(/"blockNumber":"0x[0-9a-f]{1,13}"/g)
  const lastBlock = quantityToNumber(blocks?.at(-1)?.slice('"blockNumber":"'.length, -1))
  const facts = lastBlock === null ? {} : { lastBlock }
  return new Failure('upstream_answered_badly', { reason: TOO_LONG, ...facts })
}

function blocksPerPiece({ from, to }: BlockRange, lastBlock: number): number | null {
  const isWithin = lastBlock >= from && lastBlock <= to
  return isWithin ? Math.max(1, Math.floor((lastBlock - from + 1) / 4)) : null
}
