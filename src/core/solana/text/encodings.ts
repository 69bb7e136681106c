import { assert } from '../../errors.ts'
import {
  openTextSink,
  putAscii,
  putBytes,
  putDigits,
  putText,
  reserve,
  type TextSink,
  takeBytes,
} from '../../json/text-sink.ts'
import type { Account, AccountEncoding, DataSlice, SolanaError } from '../account.ts'
import { encodeBase58, encodeKey, writeKey } from '../base58.ts'
import { PROGRAM_KEYS, sameKey } from '../programs.ts'

export type RecordRules = {
  encoding: AccountEncoding
  dataSlice: DataSlice | null
  /** For `jsonParsed`: the JSON of `{parsed, program, space}`, null where no parser fits. */
  parse?: (account: Account) => string | null
}

export type RecordWriter = ReturnType<typeof openRecordWriter>

/** A node refuses more in base 58, which costs the square of the length. */
const BASE58_BYTES_MAX = 128
const BASE58_REFUSED: SolanaError = {
  code: -32600,
  message:
    'Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.',
  dataText: null,
}

/** More than all of a record takes but its data: two keys, three numbers, the names. */
const FRAME_BYTES_MAX = 512
const UTF8_BYTES_PER_CHAR_MAX = 3

const COMMA = 44

export const RECORD_END = asciiBytes('"}')

/** The text around the data of a record; the comma in front is left off the first one. */
type Frame = { before: Uint8Array; whenData: Uint8Array; whenProgram: Uint8Array }

const PARSED_FRAME = frame('', '')
const BASE64_FRAME = frame('["', '","base64"]')

/** Writes accounts as the records of an answer, in the member order of a node. */
export function openRecordWriter(rules: RecordRules) {
  const sink = openTextSink()
  const putOwner = openOwnerPart(sink)
  const frames = framesOf(rules.encoding)
  const refusesLong = rules.encoding === 'binary' || rules.encoding === 'base58'
  let takenBytes = 0
  let count = 0

  return {
    /**
     * Writes one record, or nothing but an error where the encoding can't hold its data. Whoever
     * has the text of the key at hand spares it half of the work.
     */
    write(account: Account, keyText?: Uint8Array): SolanaError | null {
      const data = slice(account.data, rules.dataSlice)
      if (refusesLong && data.length > BASE58_BYTES_MAX) return BASE58_REFUSED
      const parsed = rules.encoding === 'jsonParsed' ? (rules.parse?.(account) ?? null) : null
      const text = parsed ?? dataText(rules.encoding, data)
      const around = parsed === null ? frames : PARSED_FRAME

      const textBytesMax = parsed === null ? text.length : text.length * UTF8_BYTES_PER_CHAR_MAX
      reserve(sink, FRAME_BYTES_MAX + textBytesMax)
      putBytes(sink, count === 0 ? around.before.subarray(1) : around.before)
      if (parsed === null) putAscii(sink, text)
      else putText(sink, text)
      putBytes(sink, account.executable ? around.whenProgram : around.whenData)
      putDigits(sink, account.lamports)
      putOwner(account)
      if (keyText) putBytes(sink, keyText)
      else sink.at = writeKey(account.pubkey, sink.out, sink.at)
      putBytes(sink, RECORD_END)
      count++
      return null
    },

    /**
     * Takes what was written since the last time, the caller's to keep. Every record but the first
     * has its comma in front, so that all that is ever taken, in a row, is the inside of one array.
     */
    take(): Uint8Array<ArrayBuffer> {
      takenBytes += sink.at
      return takeBytes(sink)
    },

    get waitingBytes() {
      return sink.at
    },
    /** All that was ever written, taken or not. */
    get bytes() {
      return takenBytes + sink.at
    },
    get count() {
      return count
    },
  }
}

/** Takes the one record that waits, without the comma that stands in front of all but the first. */
export function takeRecord(writer: RecordWriter): Uint8Array<ArrayBuffer> {
  const bytes = writer.take()
  return bytes[0] === COMMA ? bytes.subarray(1) : bytes
}

/** An account that is gone, as a node shows it in a notification: an empty one of nobody. */
export function goneAccountText(encoding: AccountEncoding): string {
  const writer = openRecordWriter({ encoding, dataSlice: null, parse: () => null })
  const fault = writer.write({
    pubkey: PROGRAM_KEYS.system,
    owner: PROGRAM_KEYS.system,
    lamports: 0n,
    rentEpoch: 0n,
    executable: false,
    data: new Uint8Array(),
  })
  assert(fault === null, 'no data fit into every encoding')
  const record = Buffer.from(writer.take()).toString('latin1')
  return record.slice('{"account":'.length, record.lastIndexOf(',"pubkey":'))
}

/**
 * Data as `base64+zstd` has it. A node compresses as a stream that doesn't know its length, and
 * clients compare its texts, so the header is made that of a stream: no content size, and the
 * window of 2 MiB that level 3 works with.
 */
export function zstdText(data: Uint8Array): string {
  const frame = Bun.zstdCompressSync(data, { level: 3 })
  const bodyAt = zstdHeaderBytes(frame)
  // In place: every header is at least as long as the one put before the body.
  const start = bodyAt - ZSTD_STREAM_HEADER.length
  frame.set(ZSTD_STREAM_HEADER, start)
  return frame.subarray(start).toBase64()
}

/** The magic number, a descriptor without flags, and the window descriptor of 2^21 bytes. */
const ZSTD_STREAM_HEADER = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58)
const ZSTD_WINDOW = 0x58
const ZSTD_DESCRIPTOR_AT = 4

/** How long a frame's header is (RFC 8878, 3.1.1.1). */
function zstdHeaderBytes(frame: Uint8Array): number {
  const descriptor = frame[ZSTD_DESCRIPTOR_AT] as number
  const isSingleSegment = (descriptor & 0x20) !== 0
  const sizeFlag = descriptor >> 6
  assert((descriptor & 0x07) === 0, 'a frame has neither a checksum nor a dictionary')
  assert(
    isSingleSegment || (frame[ZSTD_DESCRIPTOR_AT + 1] as number) <= ZSTD_WINDOW,
    'no frame looks back further than the header says',
  )
  const sizeBytes = sizeFlag === 0 ? (isSingleSegment ? 1 : 0) : 2 ** sizeFlag
  return ZSTD_DESCRIPTOR_AT + 1 + (isSingleSegment ? 0 : 1) + sizeBytes
}

function slice(data: Uint8Array, part: DataSlice | null): Uint8Array {
  return part === null ? data : data.subarray(part.offset, part.offset + part.length)
}

function dataText(encoding: AccountEncoding, data: Uint8Array): string {
  if (encoding === 'binary' || encoding === 'base58') return encodeBase58(data)
  if (encoding === 'base64+zstd') return zstdText(data)
  return data.toBase64()
}

function framesOf(encoding: AccountEncoding): Frame {
  if (encoding === 'binary') return frame('"', '"')
  if (encoding === 'jsonParsed') return BASE64_FRAME
  return frame('["', `","${encoding}"]`)
}

function frame(open: string, close: string): Frame {
  return {
    before: asciiBytes(`,{"account":{"data":${open}`),
    whenData: asciiBytes(`${close},"executable":false,"lamports":`),
    whenProgram: asciiBytes(`${close},"executable":true,"lamports":`),
  }
}

/**
 * Puts all from the owner to the pubkey. Records of one program mostly agree in it, so the bytes
 * of the last one are kept; only its owner's text is worth keeping beyond a change of the rest.
 */
function openOwnerPart(sink: TextSink): (account: Account) => void {
  const owner = new Uint8Array(32)
  let ownerText = encodeKey(owner)
  let rentEpoch = 0n
  let space = -1
  let part = new Uint8Array()

  return (account) => {
    const sameOwner = sameKey(owner, account.owner)
    if (!sameOwner || space !== account.data.length || rentEpoch !== account.rentEpoch) {
      if (!sameOwner) {
        ownerText = encodeKey(account.owner)
        owner.set(account.owner)
      }
      rentEpoch = account.rentEpoch
      space = account.data.length
      part = asciiBytes(
        `,"owner":"${ownerText}","rentEpoch":${rentEpoch},"space":${space}},"pubkey":"`,
      )
    }
    putBytes(sink, part)
  }
}

function asciiBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}
