import { within } from '../../core/async/within.ts'
import { quirksOf } from '../../core/chain/quirks.ts'
import { Failure } from '../../core/errors.ts'
import { numberToQuantity } from '../../core/hex.ts'
import { evidenceOf, type LogHeader, logHeaderIn } from '../../core/logs/log-evidence.ts'
import type { LogKeys } from '../../core/logs/log-filter.ts'
import type { HeadView } from '../../core/rpc/cache-policy.ts'
import type { Upstream } from '../node/upstream.ts'
import { askUpstream } from '../pool/ask-upstream.ts'
import type { LogService } from './log-service.ts'

const IN_FLIGHT = 8

/** A header is small: an upstream that hangs is not waited for. */
const ANSWER_MS_MAX = 3000

/** Headers that are read one by one where those by number are of another fork. */
const BY_HASH_MAX = 8

/**
 * The headers from a height up to the head, each the parent of the next; null when they cannot be
 * had, as while the chain is being reorganised. Each header is read once, whoever asks.
 */
export async function linkedHeaders(
  service: LogService,
  head: HeadView,
  lowest: number,
): Promise<LogHeader[] | null> {
  const known = walk(service, head, lowest)
  if (known.missing === null) return known.headers
  const { headersUnderWay } = service.logReads
  const key = `${head.hash} ${lowest}`
  const underWay = headersUnderWay.get(key)
  if (underWay) return underWay
  const reading = readLinked(service, head, lowest, head.number - known.headers.length)
  headersUnderWay.set(key, reading)
  try {
    return await reading
  } finally {
    headersUnderWay.delete(key)
  }
}

async function readLinked(
  service: LogService,
  head: HeadView,
  lowest: number,
  highest: number,
): Promise<LogHeader[] | null> {
  await readByNumber(service, head, lowest, highest)
  for (let asked = 0; asked <= BY_HASH_MAX; asked++) {
    const { headers, missing } = walk(service, head, lowest)
    if (missing === null) return headers
    const found = await readHeader(service, head, 'eth_getBlockByHash', missing)
    if (found?.hash !== missing) return null
  }
  return null
}

/** The header at a height or a tag, from an upstream that stands at the head. */
export function headerAt(
  service: LogService,
  head: HeadView,
  block: number | 'safe',
): Promise<LogHeader | null> {
  const which = block === 'safe' ? block : numberToQuantity(block)
  return readHeader(service, head, 'eth_getBlockByNumber', which)
}

export function evidenceIn(
  { network, bloomBits }: LogService,
  keys: LogKeys,
  header: LogHeader | null,
): ReturnType<typeof evidenceOf> {
  const { bloomMayBeZero } = quirksOf(network.chainId)
  return evidenceOf(header?.bloom ?? null, keys, bloomBits, bloomMayBeZero)
}

type Walk = { headers: LogHeader[]; missing: string | null }

/** As far down as headers are at hand; in ascending order. */
function walk({ logReads }: LogService, head: HeadView, lowest: number): Walk {
  const headers: LogHeader[] = []
  let hash = head.hash.toLowerCase()
  for (let number = head.number; number >= lowest; number--) {
    const header = logReads.headers.get(hash)
    if (header?.number !== number) return { headers: headers.reverse(), missing: hash }
    headers.push(header)
    hash = header.parentHash
  }
  return { headers: headers.reverse(), missing: null }
}

async function readByNumber(
  service: LogService,
  head: HeadView,
  from: number,
  to: number,
): Promise<void> {
  let next = from
  const work = async () => {
    while (next <= to) await headerAt(service, head, next++)
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, work))
}

/** Null when no upstream gave it. */
async function readHeader(
  service: LogService,
  head: HeadView,
  method: string,
  which: string,
): Promise<LogHeader | null> {
  for (const upstream of sources(service, head)) {
    try {
      const asked = askUpstream(service, upstream, method, [which, false])
      const result = await within(service.pool.clock, ANSWER_MS_MAX, asked, () => {
        throw new Failure('upstream_timed_out')
      })
      const header = result.kind === 'result' ? logHeaderIn(result.value) : null
      if (!header) continue
      service.logReads.headers.set(header.hash, header)
      return header
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
    }
  }
  return null
}

/** Two upstreams to ask, those that stand at this very head before others. */
function sources({ pool: { selection } }: LogService, head: HeadView): Upstream[] {
  const usable = selection.upstreams.filter(
    (upstream) => upstream.chain === 'right' && selection.stateOf.get(upstream) !== 'excluded',
  )
  const rank = (upstream: Upstream) => (upstream.head?.hash === head.hash ? 0 : 1)
  return usable.sort((a, b) => rank(a) - rank(b)).slice(0, 2)
}
