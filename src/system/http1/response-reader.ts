import {
  HEAD_BYTES_MAX,
  HEAD_END,
  type ParsedHead,
  parseHead,
  type ResponseHead,
} from './response-head.ts'

export type ResponseReader = ReturnType<typeof openResponseReader>

type Phase =
  | 'head'
  | 'length'
  | 'chunk_size'
  | 'chunk'
  | 'chunk_end'
  | 'trailer'
  | 'to_close'
  | 'end'

const CHUNK_LINE_BYTES_MAX = 1024

/** The limit of interim heads and trailers: nobody reads them, but they have to end. */
const SKIPPED_BYTES_MAX = 64 * 1024

/** A piece of one byte costs a hundred to hold, so small ones are copied together. */
const SMALL_BYTES_MAX = 512
const BLOCK_BYTES = 16 * 1024
const NO_BYTES = new Uint8Array()

const CR_LF = '\r\n'
const CHUNK_SIZE = /^([0-9a-fA-F]{1,8})[ \t]*(?:;.*)?$/

type State = {
  phase: Phase
  head: ResponseHead | null
  keepAlive: boolean
  /** Bytes of an unfinished head or line. */
  partial: Uint8Array | null
  leftBytes: number
  skippedBytes: number
  chunks: Uint8Array[]
  waitingBytes: number
  /** The block that gathers small pieces; it follows after `chunks`. */
  block: Uint8Array
  blockBytes: number
}

/**
 * Reads HTTP/1.1 responses off a socket, one after the other. Written by hand
 * because the runtime's own client hands each call to another thread and back,
 * which costs more than everything else the gateway does for a call.
 */
export function openResponseReader() {
  const state: State = {
    phase: 'head',
    head: null,
    keepAlive: true,
    partial: null,
    leftBytes: 0,
    skippedBytes: 0,
    chunks: [],
    waitingBytes: 0,
    block: NO_BYTES,
    blockBytes: 0,
  }
  return {
    /** Takes the next bytes; false when they are no HTTP, and the connection is of no more use. */
    feed: (bytes: Uint8Array) => feed(state, bytes),
    /** The other side closed; true when that was a proper end of the body. */
    closed() {
      if (state.phase === 'to_close') state.phase = 'end'
      return state.phase === 'end'
    },
    get head() {
      return state.head
    },
    get ended() {
      return state.phase === 'end'
    },
    get reusable() {
      return state.phase === 'end' && state.keepAlive
    },
    get waitingBytes() {
      return state.waitingBytes
    },
    take() {
      closeBlock(state)
      const { chunks } = state
      state.chunks = []
      state.waitingBytes = 0
      return chunks
    },
  }
}

function feed(state: State, bytes: Uint8Array): boolean {
  let rest: Uint8Array | null = bytes
  while (rest !== null && rest.length > 0) {
    if (state.phase === 'end') {
      // Bytes beyond the answer belong to no request of ours.
      state.keepAlive = false
      return true
    }
    const next: Uint8Array | null | false = step(state, rest)
    if (next === false) return false
    rest = next
  }
  return true
}

/** The rest to go on with, null when all is used up, false when it is no HTTP. */
function step(state: State, bytes: Uint8Array): Uint8Array | null | false {
  if (state.phase === 'head') return stepHead(state, bytes)
  if (state.phase === 'to_close') {
    push(state, bytes)
    return null
  }
  if (state.phase === 'length' || state.phase === 'chunk') return stepData(state, bytes)
  return stepLine(state, bytes)
}

function stepData(state: State, bytes: Uint8Array): Uint8Array | null {
  const part = bytes.length <= state.leftBytes ? bytes : bytes.subarray(0, state.leftBytes)
  push(state, part)
  state.leftBytes -= part.length
  if (state.leftBytes === 0) state.phase = state.phase === 'length' ? 'end' : 'chunk_end'
  return part.length === bytes.length ? null : bytes.subarray(part.length)
}

function push(state: State, bytes: Uint8Array): void {
  state.waitingBytes += bytes.length
  if (bytes.length > SMALL_BYTES_MAX || state.chunks.length === 0) {
    closeBlock(state)
    state.chunks.push(bytes)
    return
  }
  if (state.block.length - state.blockBytes < bytes.length) {
    closeBlock(state)
    state.block = new Uint8Array(BLOCK_BYTES)
  }
  state.block.set(bytes, state.blockBytes)
  state.blockBytes += bytes.length
}

function closeBlock(state: State): void {
  if (state.blockBytes > 0) state.chunks.push(state.block.subarray(0, state.blockBytes))
  state.block = NO_BYTES
  state.blockBytes = 0
}

function stepHead(state: State, bytes: Uint8Array): Uint8Array | null | false {
  const all = joined(state, bytes)
  const end = all.indexOf(HEAD_END)
  if (end < 0) {
    state.partial = all
    return startsLikeHttp(all) && all.length < HEAD_BYTES_MAX + HEAD_END.length ? null : false
  }
  if (end > HEAD_BYTES_MAX) return false
  state.partial = null
  const head = parseHead(all.toString('latin1', 0, end))
  if (!head) return false
  const rest = all.subarray(end + HEAD_END.length)
  // 100 Continue and 103 Early Hints announce the real head; nobody asked to switch protocols.
  if (head.status < 200) return head.status !== 101 && skip(state, end) ? rest : false
  return beginBody(state, head) ? rest : false
}

/** Checked at once: a peer of another protocol may wait for us, and we for the end of a head. */
function startsLikeHttp(bytes: Buffer): boolean {
  const start = 'HTTP/1.'
  return start.startsWith(bytes.toString('latin1', 0, start.length))
}

function skip(state: State, bytes: number): boolean {
  state.skippedBytes += bytes
  return state.skippedBytes <= SKIPPED_BYTES_MAX
}

function beginBody(state: State, head: ParsedHead): boolean {
  const { status, header, coding } = head
  let { length } = head
  state.keepAlive = head.keepAlive
  if (status === 204 || status === 304) {
    length = 0
    state.phase = 'end'
  } else if (coding !== null) {
    if (coding.toLowerCase() !== 'chunked') return false
    // Two ends declared, or one its version does not know: somebody on the way may see another.
    if (length !== null || head.minor === '0') state.keepAlive = false
    length = null
    state.phase = 'chunk_size'
  } else if (length !== null) {
    state.leftBytes = length
    state.phase = length === 0 ? 'end' : 'length'
  } else {
    state.keepAlive = false
    state.phase = 'to_close'
  }
  state.head = { status, header, length }
  return true
}

/** A chunk's size, the line break after a chunk, or a trailer: all are lines. */
function stepLine(state: State, bytes: Uint8Array): Uint8Array | null | false {
  const all = joined(state, bytes)
  const bytesMax = state.phase === 'chunk_end' ? 0 : CHUNK_LINE_BYTES_MAX
  const end = all.indexOf(CR_LF)
  if (end < 0) {
    state.partial = all
    return all.length >= bytesMax + CR_LF.length ? false : null
  }
  if (end > bytesMax) return false
  state.partial = null
  const rest = all.subarray(end + CR_LF.length)
  if (state.phase === 'chunk_end') {
    state.phase = 'chunk_size'
  } else if (state.phase === 'trailer') {
    if (end === 0) state.phase = 'end'
    else if (!skip(state, end)) return false
  } else {
    const size = CHUNK_SIZE.exec(all.toString('latin1', 0, end))
    if (!size) return false
    state.leftBytes = Number.parseInt(size[1] ?? '', 16)
    state.phase = state.leftBytes === 0 ? 'trailer' : 'chunk'
  }
  return rest
}

function joined(state: State, bytes: Uint8Array): Buffer {
  if (state.partial) return Buffer.concat([state.partial, bytes])
  if (bytes instanceof Buffer) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
