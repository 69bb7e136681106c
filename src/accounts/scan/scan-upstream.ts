import { Failure } from '../../core/errors.ts'
import { compareKeys } from '../../core/solana/compare-keys.ts'
import type { RecordListener } from '../../core/solana/reply/reply-cut.ts'
import type { PageContext } from '../../core/solana/request/page-form.ts'
import { upstreamParams } from '../../core/solana/request/query-hash.ts'
import type { Upstream } from '../../upstream/node/upstream.ts'
import type { PoolAnswer } from '../../upstream/pool/routed-request.ts'
import { requestAny, requestFrom } from '../../upstream/pool/upstream-pool.ts'
import { openRecordLog, type RecordLog } from '../record-log/record-log.ts'
import { readReply } from './read-reply.ts'
import { poolCall, type Scanned, type Scanning } from './scanning.ts'
import {
  isSortedUpstream,
  markUpstreamSorted,
  markUpstreamUnsorted,
  upstreamNamed,
} from './sorted-upstreams.ts'

export type Wanted = 'records' | 'keys'

type From = Upstream | 'any'

type Reading = {
  scanning: Scanning
  wanted: Wanted
  log: RecordLog
  gathering: ReturnType<typeof openRecordCollector>
  upstream: Upstream | null
  name: string
  isShown: boolean
}

/** Pages of an upstream that cuts its answers; more than any program has. */
const PAGES_MAX = 100_000

const NOTHING = new Uint8Array()

export async function scanUpstream(
  scanning: Scanning,
  wanted: Wanted,
  from: From,
): Promise<Scanned> {
  let answer: PoolAnswer
  try {
    answer = await ask(scanning, wanted, from, null)
  } catch (thrown) {
    return broken(thrown, null)
  }
  const { reply, upstream: name } = answer
  if (reply.kind === 'error') return { kind: 'refused', error: reply, upstream: name }
  if (reply.kind === 'error_stream') {
    reply.stream.cancel().catch(() => {})
    return broken(badAnswer('an error too long to hold'), name)
  }

  const log = openRecordLog(scanning.clock, scanning.room)
  const reading: Reading = {
    scanning,
    wanted,
    log,
    gathering: openRecordCollector(log, wanted === 'keys'),
    upstream: upstreamNamed(scanning.service, name),
    name,
    isShown: false,
  }
  try {
    await readPages(reading, answer)
    await putInOrder(reading)
    log.end()
    const { context } = reading.gathering
    return { kind: 'whole', found: { upstream: name, context, log } }
  } catch (thrown) {
    log.end(thrown instanceof Failure ? thrown : badAnswer('a bug of ours'))
    if (!reading.isShown) await log.remove()
    return broken(thrown, name, reading.isShown)
  }
}

function ask(
  { service, call }: Scanning,
  wanted: Wanted,
  from: From,
  pageKey: string | null,
): Promise<PoolAnswer> {
  const nothing = { encoding: 'base64', dataSlice: { offset: 0, length: 0 } } as const
  const params = upstreamParams(call, wanted === 'keys' ? nothing : {})
  const paramsText =
    pageKey === null ? params : `${params.slice(0, -2)},"pageKey":${JSON.stringify(pageKey)}}]`
  const asked = poolCall(service, 'getProgramAccounts', paramsText)
  const { pool } = service
  return from === 'any' ? requestAny(pool, asked) : requestFrom(pool, from, asked)
}

async function readPages(reading: Reading, first: PoolAnswer): Promise<void> {
  const { scanning, wanted, upstream } = reading
  let answer = first
  const seen = new Set<string>()
  for (;;) {
    const pageKey = await readPage(reading, answer)
    if (pageKey === null) return
    // Its pages may turn out to be of different moments, so none is shown before all are there.
    markUpstreamUnsorted(upstream)
    if (!upstream || seen.has(pageKey) || seen.size >= PAGES_MAX) throw badAnswer('endless pages')
    seen.add(pageKey)
    answer = await ask(scanning, wanted, upstream, pageKey)
  }
}

/** Returns the upstream's key for its next page, or null. */
async function readPage(reading: Reading, { reply }: PoolAnswer): Promise<string | null> {
  const { scanning, gathering, log } = reading
  if (reply.kind === 'error' || reply.kind === 'error_stream') throw badAnswer('refused')
  const { isWhole, pageKey } = await readReply(reply, {
    signal: scanning.signal,
    listener: gathering.listener,
    async heard() {
      if (reading.isShown && !gathering.isSorted) return false
      if (gathering.slotMoved) return false
      if (reply.kind === 'stream') showIfSure(reading)
      log.announce()
      await log.settled()
      return true
    },
  })
  if (reading.isShown && !gathering.isSorted) markUpstreamUnsorted(reading.upstream)
  if (gathering.slotMoved) throw badAnswer('pages of different slots')
  if (!isWhole) throw badAnswer('broke off')
  return pageKey
}

/** Shown as they come are only records that come in order, of a slot that is known. */
function showIfSure(reading: Reading): void {
  const { scanning, wanted, log, gathering, upstream } = reading
  const { context } = gathering
  if (reading.isShown || wanted === 'keys' || scanning.call.order === 'desc') return
  if (log.count === 0 || context.slot === null || !gathering.isSorted) return
  if (!isSortedUpstream(upstream)) return
  reading.isShown = true
  scanning.show({ upstream: reading.name, context, log })
}

async function putInOrder({ log, gathering, upstream }: Reading): Promise<void> {
  if (gathering.isSorted) return markUpstreamSorted(upstream, log.count)
  markUpstreamUnsorted(upstream)
  if (!(await log.sort())) throw badAnswer('an account twice')
}

function badAnswer(reason: string): Failure {
  return new Failure('upstream_answered_badly', { reason })
}

function broken(
  thrown: unknown,
  upstream: string | null,
  wasShown = false,
): Extract<Scanned, { kind: 'broken' }> {
  if (!(thrown instanceof Failure)) throw thrown
  return { kind: 'broken', failure: thrown, upstream, wasShown }
}

function openRecordCollector(log: RecordLog, keysOnly: boolean) {
  let context: PageContext | null = null
  let slotMoved = false
  let isSorted = true
  let last: Uint8Array | null = null
  return {
    get context(): PageContext {
      return context ?? { slot: null, apiVersion: null }
    },
    get isSorted() {
      return isSorted
    },
    /** An answer spoke of another slot than the one before it, or of none. */
    get slotMoved() {
      return slotMoved
    },
    listener: {
      envelope(given) {
        slotMoved ||= context !== null && (given.slot === null || given.slot !== context.slot)
        context ??= given
      },
      record(bytes, key) {
        isSorted &&= last === null || compareKeys(last, key) < 0
        last = key
        log.add(keysOnly ? NOTHING : bytes, key)
      },
      error() {},
    } satisfies RecordListener,
  }
}
