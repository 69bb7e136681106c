import { Failure } from '../../core/errors.ts'
import { rawMembers } from '../../core/json/json-scan.ts'
import type { NodeResult } from '../../core/rpc/node-reply.ts'
import { openRecordCutter } from '../../core/solana/reply/record-cutter.ts'
import type { RecordListener } from '../../core/solana/reply/reply-cut.ts'
import type { Streamed } from '../../upstream/node/rpc-client.ts'

export type ReadReply = {
  isWhole: boolean
  /** The upstream holds back more: its key for the next page. */
  pageKey: string | null
}

type Hooks = {
  signal: AbortSignal
  listener: RecordListener
  /** After each piece; false gives the rest up. */
  heard(): boolean | Promise<boolean>
}

/** The pool has taken the envelope off; the cutter, which reads whole replies, wants one. */
const BEFORE = new TextEncoder().encode('{"result":')
const AFTER = new TextEncoder().encode('}')

/**
 * Reads what an upstream answered, record by record, holding none. Every fault on the way, its
 * own or the upstream's, makes it an answer that is not whole.
 */
export async function readReply(reply: NodeResult | Streamed, hooks: Hooks): Promise<ReadReply> {
  const cutter = openRecordCutter({
    ...hooks.listener,
    record(bytes, pubkey) {
      // Heard of only now, the key may stand in this very record.
      const isNew = cutter.pageKey !== knownPageKey
      knownPageKey = cutter.pageKey
      hooks.listener.record(isNew ? withoutPageKey(bytes) : bytes, pubkey)
    },
  })
  let knownPageKey: string | null = null
  const push = async (bytes: Uint8Array) =>
    cutter.push(bytes) && !hooks.signal.aborted && (await hooks.heard())

  const read = async (): Promise<boolean> => {
    if (reply.kind === 'stream') return readStream(reply.stream, hooks.signal, push)
    return (await push(BEFORE)) && push(new TextEncoder().encode(reply.text))
  }
  const isRead = await read()
  const isWhole = isRead && (await push(AFTER)) && cutter.end() === 'whole'
  return { isWhole, pageKey: cutter.pageKey }
}

/** Drops the next-page key that some upstreams put into their last record: ours replaces it. */
function withoutPageKey(record: Uint8Array): Uint8Array {
  const members = rawMembers(new TextDecoder().decode(record))
  if (!members.delete('pageKey')) return record
  const texts = [...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  return new TextEncoder().encode(`{${texts.join()}}`)
}

async function readStream(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  push: (bytes: Uint8Array) => Promise<boolean>,
): Promise<boolean> {
  const reader = stream.getReader()
  const giveUp = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', giveUp)
  try {
    let goesOn = await push(BEFORE)
    while (goesOn) {
      const { done, value } = await reader.read()
      if (done) return !signal.aborted
      goesOn = await push(value)
    }
  } catch (thrown) {
    // Our own disk is no fault of the upstream's.
    if (thrown instanceof Failure) throw thrown
    // It broke off, or brought nothing for too long.
  } finally {
    signal.removeEventListener('abort', giveUp)
    // However it went: what is not read to its end would hold its upstream for ever.
    giveUp()
  }
  return false
}
