import type { Clock } from '../../ports/clock.ts'
import { resumeStream } from './resume-stream.ts'

/** One stream that several read, each at its own speed. */
export type SharedStream = {
  /** The whole of it for one more reader; null when its beginning is gone already. */
  branch(reader: BranchReader): ReadableStream<Uint8Array> | null
}

export type BranchReader = {
  /** From now on this reader is the one that the stream's place at its upstream is counted for. */
  pays(): void
  /** Asks for the same once more, for this reader alone. */
  askAgain(): Promise<ReadableStream<Uint8Array>>
}

/** How far the fastest reader may be ahead of one that still shares. */
const WINDOW_BYTES = 1024 * 1024

/**
 * Readers of like speed are apart by more than that for moments, so those ahead wait for one
 * behind: for each a little and a small part of the time that the stream takes, and for all
 * together not much more.
 */
const WAIT_FOR_ONE = { ms: 100, part: 1 / 20 }
const WAIT_FOR_ALL = { ms: 250, part: 1 / 10 }

/** Waited for at a time, and counted as no more: nobody read while this process stood still. */
const WAIT_MS = 10

type ShareClock = Pick<Clock, 'monotonicMs' | 'after'>

/** A part of the stream that somebody has yet to read. */
type Chunk = { bytes: Uint8Array; unreadBy: number }

/** The part of a stream's reader that every library's types have. */
type BytesReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

type Branch = {
  reader: BranchReader
  /** The number of the chunk that it reads next. */
  at: number
  isGone: boolean
  /** The time that others have waited for it. */
  waitedForMs: number
  /** Where it goes on after it was left behind. */
  rest: BytesReader | null
}

type Share = {
  clock: ShareClock
  startedAtMs: number
  waitedMs: number
  /** Wakes who waits for slower readers. */
  wake: (() => void) | null
  source: BytesReader
  branches: Set<Branch>
  payer: Branch | null
  chunks: Chunk[]
  /** The number of the first chunk that is held. */
  first: number
  heldBytes: number
  /** All that is no longer held, as a reader that is left behind was sent it. */
  gone: Bun.CryptoHasher
  goneBytes: number
  reading: Promise<void> | null
  ended: { fault: unknown } | 'whole' | null
}

/**
 * Lets several read one stream. It is taken as fast as the fastest of them reads; one that falls
 * out of the window for long is left behind and goes on by itself, with an answer of its own that
 * begins with the very bytes it was sent. So nobody waits for another, and memory stays flat.
 */
export function shareStream(clock: ShareClock, source: ReadableStream<Uint8Array>): SharedStream {
  const share: Share = {
    clock,
    startedAtMs: clock.monotonicMs(),
    waitedMs: 0,
    wake: null,
    source: source.getReader(),
    branches: new Set(),
    payer: null,
    chunks: [],
    first: 0,
    heldBytes: 0,
    gone: new Bun.CryptoHasher('sha256'),
    goneBytes: 0,
    reading: null,
    ended: null,
  }
  return {
    branch(reader) {
      if (share.first > 0) return null
      const branch: Branch = { reader, at: 0, isGone: false, waitedForMs: 0, rest: null }
      share.branches.add(branch)
      share.payer ??= branch
      for (const chunk of share.chunks) chunk.unreadBy++
      return branchStream(share, branch)
    },
  }
}

function branchStream(share: Share, branch: Branch): ReadableStream<Uint8Array> {
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const bytes = await nextBytes(share, branch)
    if (branch.isGone) return
    if (bytes) controller.enqueue(bytes)
    else controller.close()
  }
  const cancel = () => leave(share, branch)
  return new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 })
}

async function nextBytes(share: Share, branch: Branch): Promise<Uint8Array | null> {
  for (;;) {
    if (branch.rest) return (await branch.rest.read()).value ?? null
    if (!share.branches.has(branch)) return null
    const chunk = share.chunks[branch.at - share.first]
    if (chunk) {
      branch.at++
      chunk.unreadBy--
      dropRead(share)
      return chunk.bytes
    }
    if (share.ended === 'whole') return null
    if (share.ended) throw share.ended.fault
    share.reading ??= readMore(share)
    await share.reading
  }
}

async function readMore(share: Share): Promise<void> {
  try {
    await makeRoom(share)
    if (isAwaited(share)) await readChunk(share)
  } catch (fault) {
    share.ended = { fault }
  }
  share.reading = null
}

async function readChunk(share: Share): Promise<void> {
  const { done, value } = await share.source.read()
  if (done || !value) {
    share.ended = 'whole'
    return
  }
  share.chunks.push({ bytes: value, unreadBy: share.branches.size })
  share.heldBytes += value.length
  // All of its readers may have gone while it came.
  dropRead(share)
}

/** Somebody has read all that came; whoever asked for more may have gone meanwhile. */
function isAwaited({ branches, first, chunks }: Share): boolean {
  for (const { at } of branches) if (at === first + chunks.length) return true
  return false
}

/** Makes room in the window: those behind catch up, or are left behind. */
async function makeRoom(share: Share): Promise<void> {
  await othersCatchUp(share)
  while (share.heldBytes >= WINDOW_BYTES && isAwaited(share)) {
    for (const branch of share.branches) if (branch.at === share.first) leaveBehind(share, branch)
    dropRead(share)
  }
}

/** Resolves when there is room in the window, or the time for making some is over. */
async function othersCatchUp(share: Share): Promise<void> {
  const { clock } = share
  while (share.heldBytes >= WINDOW_BYTES && isAwaited(share)) {
    const nowMs = clock.monotonicMs()
    const behind = [...share.branches].filter(({ at }) => at === share.first)
    if (!mayWait(share, behind, nowMs)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    share.wake = resolve
    const stopTimer = clock.after(WAIT_MS, resolve)
    await promise
    stopTimer()
    share.wake = null
    const waitedMs = Math.min(clock.monotonicMs() - nowMs, WAIT_MS)
    for (const branch of behind) branch.waitedForMs += waitedMs
    share.waitedMs += waitedMs
  }
}

function mayWait(share: Share, behind: readonly Branch[], nowMs: number): boolean {
  const tookMs = nowMs - share.startedAtMs
  if (share.waitedMs >= WAIT_FOR_ALL.ms + tookMs * WAIT_FOR_ALL.part) return false
  const forOneMs = WAIT_FOR_ONE.ms + tookMs * WAIT_FOR_ONE.part
  return behind.some(({ waitedForMs }) => waitedForMs < forOneMs)
}

/** Drops what all have read. */
function dropRead(share: Share): void {
  while (share.chunks[0]?.unreadBy === 0) dropFirst(share)
}

function dropFirst(share: Share): void {
  const chunk = share.chunks.shift()
  if (!chunk) return
  share.wake?.()
  share.first++
  share.heldBytes -= chunk.bytes.length
  // The last reader is never left behind, so nobody asks what it was sent.
  if (share.branches.size < 2) return
  share.gone.update(chunk.bytes)
  share.goneBytes += chunk.bytes.length
}

function leaveBehind(share: Share, branch: Branch): void {
  const sent = { bytes: share.goneBytes, sha256: share.gone.copy().digest('hex') }
  branch.rest = resumeStream(branch.reader.askAgain(), sent).getReader()
  remove(share, branch)
}

async function leave(share: Share, branch: Branch): Promise<void> {
  branch.isGone = true
  if (branch.rest) return branch.rest.cancel()
  remove(share, branch)
  dropRead(share)
  share.wake?.()
  if (share.branches.size === 0 && share.ended === null) await share.source.cancel()
}

function remove(share: Share, branch: Branch): void {
  if (!share.branches.delete(branch)) return
  for (const chunk of share.chunks.slice(branch.at - share.first)) chunk.unreadBy--
  if (share.payer !== branch) return
  const [next = null] = share.branches
  share.payer = next
  if (share.ended === null) next?.reader.pays()
}
