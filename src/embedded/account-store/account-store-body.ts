import { assert } from '../../core/errors.ts'
import type { Account } from '../../core/solana/account.ts'
import { readKey } from '../../core/solana/base58.ts'
import type { NodeAccount } from '../../core/solana/reply/node-account.ts'

/**
 * All of an account but its key and owner in one run of bytes, which is how it is stored: one
 * value is read several times faster than six. Numbers are little-endian.
 *
 * ```
 *  0  u32  length of all this
 *  4  u64  lamports
 * 12  u64  rent epoch
 * 20  u8   executable
 * 21  u8   length of the key's text
 * 22       the key's text, with zeros behind it
 * 66       data
 * ```
 */
const LENGTH_AT = 0
const LAMPORTS_AT = 4
const RENT_EPOCH_AT = 12
const EXECUTABLE_AT = 20
const KEY_LENGTH_AT = 21
const KEY_TEXT_AT = 22
export const DATA_AT = 66

/** In SQL, where bytes are counted from 1: what keys alone tell of an account but its length. */
export const HEAD_SQL = `substr(body, ${LAMPORTS_AT + 1}, ${KEY_LENGTH_AT - LAMPORTS_AT})`

export const SPACE_SQL = `length(body) - ${DATA_AT}`

export function dataSql(offset: number, length: number): string {
  return `substr(body, ${DATA_AT + offset + 1}, ${length})`
}

export function packBody(account: NodeAccount): Uint8Array {
  const body = new Uint8Array(DATA_AT + account.data.length)
  const view = new DataView(body.buffer)
  view.setUint32(LENGTH_AT, body.length, true)
  view.setBigUint64(LAMPORTS_AT, account.lamports, true)
  view.setBigUint64(RENT_EPOCH_AT, account.rentEpoch, true)
  body[EXECUTABLE_AT] = account.executable ? 1 : 0
  body[KEY_LENGTH_AT] = account.keyText.length
  body.set(account.keyText, KEY_TEXT_AT)
  body.set(account.data, DATA_AT)
  return body
}

/** Bodies that stand one behind the other. */
export type Bodies = { bytes: Uint8Array; view: DataView }

export function bodiesIn(bytes: Uint8Array): Bodies {
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset) }
}

/** One past the body that begins there. */
export function bodyEnd({ view }: Bodies, at: number): number {
  return at + view.getUint32(at + LENGTH_AT, true)
}

export function accountAt(bodies: Bodies, at: number, owner: Uint8Array): Account {
  const { bytes, view } = bodies
  return {
    pubkey: pubkeyOf(bodies, at),
    owner,
    lamports: view.getBigUint64(at + LAMPORTS_AT, true),
    rentEpoch: view.getBigUint64(at + RENT_EPOCH_AT, true),
    executable: bytes[at + EXECUTABLE_AT] === 1,
    data: dataOf(bodies, at),
  }
}

export function keyTextOf({ bytes }: Bodies, at: number): Uint8Array {
  const from = at + KEY_TEXT_AT
  return bytes.subarray(from, from + (bytes[at + KEY_LENGTH_AT] as number))
}

export function pubkeyOf(bodies: Bodies, at: number): Uint8Array {
  const text = keyTextOf(bodies, at)
  const key = readKey(text, 0, text.length)
  assert(key !== null, 'a stored account has its key')
  return key
}

export function dataOf(bodies: Bodies, at: number): Uint8Array {
  return bodies.bytes.subarray(at + DATA_AT, bodyEnd(bodies, at))
}
