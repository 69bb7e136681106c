import { assert } from '../../errors.ts'
import type { AccountEncoding } from '../account.ts'
import { PROGRAM_KEYS } from '../programs.ts'
import { openRecordWriter } from './encodings.ts'

const RECORD_BEGIN = '{"account":'
const BEHIND_ACCOUNT = ',"pubkey":'

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
  return record.slice(RECORD_BEGIN.length, record.lastIndexOf(BEHIND_ACCOUNT))
}
