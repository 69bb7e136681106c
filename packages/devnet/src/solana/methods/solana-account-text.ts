import type {
  Account,
  AccountEncoding,
  DataSlice,
  SolanaError,
} from '../../../../../src/core/solana/account.ts'
import { parseAccount } from '../../../../../src/core/solana/parsers/parse-account.ts'
import {
  type ParseHelps,
  readMintFacts,
} from '../../../../../src/core/solana/parsers/parse-helps.ts'
import { isSolanaError } from '../../../../../src/core/solana/solana-error.ts'
import {
  openRecordWriter,
  type RecordWriter,
} from '../../../../../src/core/solana/text/encodings.ts'
import type { SolanaChain } from '../solana-chain.ts'

export type AccountForm = { encoding: AccountEncoding; dataSlice: DataSlice | null }

const utf8 = new TextDecoder()

/** The form that a config asks for; `json` is the service's word for base64. */
export function formOf(
  config: { encoding: AccountEncoding | 'json' | null; dataSlice: DataSlice | null },
  preset: AccountEncoding,
): AccountForm {
  const encoding = config.encoding === 'json' ? 'base64' : (config.encoding ?? preset)
  return { encoding, dataSlice: config.dataSlice }
}

/** Records `{"account":…,"pubkey":…}`, joined by commas. */
export function recordsText(
  chain: SolanaChain,
  slot: number,
  accounts: readonly Account[],
  form: AccountForm,
): string | SolanaError {
  const writer = writerAt(chain, slot, form)
  for (const account of accounts) {
    const error = writer.write(account)
    if (error !== null) return error
  }
  return utf8.decode(writer.take())
}

/** The account alone, without its key. */
export function accountText(
  chain: SolanaChain,
  slot: number,
  account: Account,
  form: AccountForm,
): string | SolanaError {
  const record = recordsText(chain, slot, [account], form)
  if (isSolanaError(record)) return record
  return record.slice('{"account":'.length, record.lastIndexOf(',"pubkey":'))
}

export function helpsAt(chain: SolanaChain, slot: number): ParseHelps {
  return {
    mint(pubkey) {
      const mint = chain.history.at(pubkey, slot)
      return mint === null ? null : readMintFacts(mint.data)
    },
    unixTimestamp: BigInt(chain.slots.find(slot)?.unixSeconds ?? 0),
  }
}

function writerAt(chain: SolanaChain, slot: number, form: AccountForm): RecordWriter {
  const helps = helpsAt(chain, slot)
  return openRecordWriter({ ...form, parse: (account) => parseAccount(account, helps) })
}
