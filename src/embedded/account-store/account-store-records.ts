import { assert } from '../../core/errors.ts'
import type { Account, AccountEncoding, DataSlice, SolanaError } from '../../core/solana/account.ts'
import { readKey } from '../../core/solana/base58.ts'
import { openRecordWriter, RECORD_END, takeRecord } from '../../core/solana/text/encodings.ts'
import { accountAt, type Bodies, bodiesIn, keyTextOf } from './account-store-body.ts'

/** Writes stored accounts as records, joined by commas. */
export type StoredWriter = ReturnType<typeof openStoredWriter>

type StoredForm = {
  owner: Uint8Array
  encoding: AccountEncoding
  dataSlice: DataSlice | null
  /** The JSON of `jsonParsed`; null: it is written in base64, or left out where it must parse. */
  parse(account: Account): string | null
  mustParse: boolean
}

const STORED_FORM = { encoding: 'base64', dataSlice: null } as const

/** Longer records are read nearly as quickly from their bodies. */
const TEXT_BODY_BYTES_MAX = 4096

const QUOTE = 34

export function openStoredWriter(form: StoredForm) {
  const { owner, encoding, dataSlice, parse, mustParse } = form
  let parsed: string | null = null
  const written = openRecordWriter({ encoding, dataSlice, parse: () => parsed })
  return {
    leavesOut: (bodies: Bodies, at: number) =>
      mustParse && parse(accountAt(bodies, at, owner)) === null,
    /** False for an account that is left out. */
    write(bodies: Bodies, at: number): boolean | SolanaError {
      const account = accountAt(bodies, at, owner)
      if (encoding === 'jsonParsed') parsed = parse(account)
      if (mustParse && parsed === null) return false
      return written.write(account, keyTextOf(bodies, at)) ?? true
    },
    written,
  }
}

export function isStoredForm({ encoding, dataSlice }: Pick<StoredForm, 'encoding' | 'dataSlice'>) {
  return encoding === STORED_FORM.encoding && dataSlice === STORED_FORM.dataSlice
}

/** Makes the text of a body; null for one that is too long to be stored. */
export function openRecordTexts(owner: Uint8Array): (body: Uint8Array) => Uint8Array | null {
  const writer = openRecordWriter(STORED_FORM)
  return (body) => {
    if (body.length > TEXT_BODY_BYTES_MAX) return null
    const bodies = bodiesIn(body)
    writer.write(accountAt(bodies, 0, owner), keyTextOf(bodies, 0))
    return takeRecord(writer)
  }
}

/** The key of the record that ends there: it is the last thing in its text. */
export function keyBefore(text: Uint8Array, end: number): Uint8Array {
  const to = end - RECORD_END.length
  const key = readKey(text, text.lastIndexOf(QUOTE, to - 1) + 1, to)
  assert(key !== null, 'a record ends with its key')
  return key
}
