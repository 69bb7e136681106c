import { assert } from '../../core/errors.ts'
import {
  openTextSink,
  putAscii,
  putBytes,
  putDigits,
  putWhole,
  reserve,
  reserveExactly,
  type TextSink,
  takeLastBytes,
} from '../../core/json/text-sink.ts'
import type { Account, AccountEncoding, DataSlice, SolanaError } from '../../core/solana/account.ts'
import { encodeKey, readKey } from '../../core/solana/base58.ts'
import {
  BASE64_FRAME,
  openRecordWriter,
  ownerPart,
  RECORD_END,
} from '../../core/solana/text/encodings.ts'
import {
  type Bodies,
  bodiesIn,
  bodyEnd,
  DATA_AT,
  dataOf,
  isExecutable,
  KEY_TEXT_AT,
  keyTextEnd,
  lamportsHalf,
  lamportsOf,
  pubkeyOf,
  rentEpochHalf,
  rentEpochOf,
} from './account-store-body.ts'

/** Writes stored accounts as records, joined by commas. */
export type StoredWriter = {
  /** So much is to be written, if all of it is: room is made at once instead of bit by bit. */
  expect(bodies: Bodies): void
  /** False for an account that is left out. */
  write(bodies: Bodies, at: number): boolean | SolanaError
  leavesOut(bodies: Bodies, at: number): boolean
  /** Takes what was written; nothing is written after that. */
  take(): Uint8Array<ArrayBuffer>
  readonly bytes: number
  readonly count: number
}

export type StoredForm = {
  owner: Uint8Array
  encoding: AccountEncoding
  dataSlice: DataSlice | null
  /** The JSON of `jsonParsed`; null: it is written in base64, or left out where it must parse. */
  parse(account: Account): string | null
  mustParse: boolean
}

/** More than all of a record takes but its data. */
const FRAME_BYTES_MAX = 512
/** How much longer than its body a record is, for a usual account. */
const GROWTH = 2

/** Longer records are read nearly as quickly from their bodies. */
const TEXT_BODY_BYTES_MAX = 4096

const QUOTE = 34

/** Below this, the upper half of 64 bits leaves a number exact in a double. */
const SAFE_UPPER_END = 2 ** 21

export function openStoredWriter(form: StoredForm): StoredWriter {
  return isPlain(form) ? openPlainWriter(form.owner) : openAnyWriter(form)
}

/** The form that texts are stored in. */
export function isPlain({ encoding, dataSlice }: Pick<StoredForm, 'encoding' | 'dataSlice'>) {
  return encoding === 'base64' && dataSlice === null
}

/** Any form, by way of an account. */
function openAnyWriter({ owner, encoding, dataSlice, parse, mustParse }: StoredForm): StoredWriter {
  let parsed: string | null = null
  const writer = openRecordWriter({ encoding, dataSlice, parse: () => parsed })
  const accountAt = (bodies: Bodies, at: number): Account => ({
    pubkey: pubkeyOf(bodies, at),
    owner,
    lamports: lamportsOf(bodies, at),
    rentEpoch: rentEpochOf(bodies, at),
    executable: isExecutable(bodies, at),
    data: dataOf(bodies, at),
  })
  return {
    expect: () => {},
    leavesOut: (bodies, at) => mustParse && parse(accountAt(bodies, at)) === null,
    write(bodies, at) {
      const account = accountAt(bodies, at)
      if (encoding === 'jsonParsed') parsed = parse(account)
      if (mustParse && parsed === null) return false
      const keyText = bodies.bytes.subarray(at + KEY_TEXT_AT, keyTextEnd(bodies, at))
      return writer.write(account, keyText) ?? true
    },
    take: writer.take,
    get bytes() {
      return writer.bytes
    },
    get count() {
      return writer.count
    },
  }
}

/** The common form, straight from the stored bytes. */
function openPlainWriter(owner: Uint8Array): StoredWriter {
  const sink = openTextSink()
  const putRecord = openPlainRecords(sink, owner)
  let count = 0

  return {
    expect({ bytes }) {
      // Rows that come one by one are many: making exact room for each would copy all before it.
      if (count === 0) reserveExactly(sink, bytes.length * GROWTH)
      else reserve(sink, bytes.length * GROWTH)
    },
    leavesOut: () => false,
    write(bodies, at) {
      putRecord(bodies, at, count === 0)
      count++
      return true
    },
    take: () => takeLastBytes(sink),
    get bytes() {
      return sink.at
    },
    get count() {
      return count
    },
  }
}

/** Makes the text of a body in the common form; null for one that is too long to be stored. */
export function openRecordTexts(owner: Uint8Array): (body: Uint8Array) => Uint8Array | null {
  const sink = openTextSink()
  const putRecord = openPlainRecords(sink, owner)
  return (body) => {
    if (body.length > TEXT_BODY_BYTES_MAX) return null
    sink.at = 0
    putRecord(bodiesIn(body), 0, true)
    return sink.out.subarray(0, sink.at)
  }
}

/** The key of the record that ends there: it is the last thing in its text. */
export function keyBefore(text: Uint8Array, end: number): Uint8Array {
  const to = end - RECORD_END.length
  const key = readKey(text, text.lastIndexOf(QUOTE, to - 1) + 1, to)
  assert(key !== null, 'a record ends with its key')
  return key
}

/**
 * Half a microsecond a record: it makes no value that it need not, and does not look twice at what
 * is the same in all records. The comma in front is left off the first one.
 */
function openPlainRecords(sink: TextSink, owner: Uint8Array) {
  const { before, whenData, whenProgram } = BASE64_FRAME
  const ownerPartAt = openOwnerParts(encodeKey(owner))
  return (bodies: Bodies, at: number, isFirst: boolean): void => {
    const end = bodyEnd(bodies, at)
    reserve(sink, FRAME_BYTES_MAX + (end - at) * GROWTH)
    putBytes(sink, isFirst ? before.subarray(1) : before)
    putAscii(sink, bodies.bytes.base64Slice(at + DATA_AT, end))
    putBytes(sink, isExecutable(bodies, at) ? whenProgram : whenData)
    putLamports(sink, bodies, at)
    putBytes(sink, ownerPartAt(bodies, at, end - at - DATA_AT))
    sink.at += bodies.bytes.copy(sink.out, sink.at, at + KEY_TEXT_AT, keyTextEnd(bodies, at))
    putBytes(sink, RECORD_END)
  }
}

/** Nearly all have fewer than 2^53, which takes no whole number of 64 bits. */
function putLamports(sink: TextSink, bodies: Bodies, at: number): void {
  const upper = lamportsHalf(bodies, at, 'upper')
  if (upper >= SAFE_UPPER_END) putDigits(sink, lamportsOf(bodies, at))
  else putWhole(sink, upper * 2 ** 32 + lamportsHalf(bodies, at, 'lower'))
}

/** All from the owner to the pubkey, kept for as long as it is the same. */
function openOwnerParts(ownerText: string) {
  let upper = -1
  let lower = -1
  let space = -1
  let part = new Uint8Array()
  return (bodies: Bodies, at: number, dataBytes: number): Uint8Array => {
    const isSame =
      space === dataBytes &&
      lower === rentEpochHalf(bodies, at, 'lower') &&
      upper === rentEpochHalf(bodies, at, 'upper')
    if (isSame) return part
    space = dataBytes
    lower = rentEpochHalf(bodies, at, 'lower')
    upper = rentEpochHalf(bodies, at, 'upper')
    part = ownerPart(ownerText, rentEpochOf(bodies, at), space)
    return part
  }
}
