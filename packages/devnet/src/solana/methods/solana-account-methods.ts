import type { Account, SolanaError } from '../../../../../src/core/solana/account.ts'
import { parseAccount } from '../../../../../src/core/solana/parsers/parse-account.ts'
import { isTokenProgram } from '../../../../../src/core/solana/programs.ts'
import { matchesFilters } from '../../../../../src/core/solana/request/matches-filters.ts'
import {
  type ProgramAccountsCall,
  readProgramAccountsCall,
} from '../../../../../src/core/solana/request/program-accounts.ts'
import { isSolanaError, minContextSlotError } from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { accountText, formOf, helpsAt, recordsText } from './solana-account-text.ts'
import {
  inContext,
  type MethodTable,
  momentOf,
  type Params,
  readKeyParam,
  readKeysParam,
} from './solana-method.ts'

/** The keys that a node takes in one call unless its operator says otherwise. */
const MULTIPLE_ACCOUNTS_MAX = 100

/** A node knows no pages: whatever is there is in its answer. */
const NODE_RULES = { defaultEncoding: 'binary', pageLimit: Number.MAX_SAFE_INTEGER } as const

export const ACCOUNT_METHODS: MethodTable = {
  getBalance: { min: 1, max: 2, answer: getBalance },
  getAccountInfo: { min: 1, max: 2, answer: getAccountInfo },
  getMultipleAccounts: { min: 1, max: 2, answer: getMultipleAccounts },
  getProgramAccounts: { min: 1, max: 2, answer: getProgramAccounts },
}

function getBalance(chain: SolanaChain, [keyText, configText]: Params) {
  const key = readKeyParam(keyText)
  if (isSolanaError(key)) return key
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const lamports = chain.history.at(key, moment.slot)?.lamports ?? 0n
  return inContext(moment.slot, `${lamports}`)
}

function getAccountInfo(chain: SolanaChain, [keyText, configText]: Params) {
  const key = readKeyParam(keyText)
  if (isSolanaError(key)) return key
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const account = chain.history.at(key, moment.slot)
  if (account === null) return inContext(moment.slot, 'null')
  const text = accountText(chain, moment.slot, account, formOf(moment.config, 'binary'))
  return isSolanaError(text) ? text : inContext(moment.slot, text)
}

function getMultipleAccounts(chain: SolanaChain, [keysText = '', configText]: Params) {
  const keys = readKeysParam(keysText, MULTIPLE_ACCOUNTS_MAX)
  if (isSolanaError(keys)) return keys
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const form = formOf(moment.config, 'base64')
  const texts: string[] = []
  for (const key of keys) {
    const account = chain.history.at(key, moment.slot)
    const text = account === null ? 'null' : accountText(chain, moment.slot, account, form)
    if (isSolanaError(text)) return text
    texts.push(text)
  }
  return inContext(moment.slot, `[${texts.join()}]`)
}

function getProgramAccounts(chain: SolanaChain, params: Params): string | SolanaError {
  const call = readProgramAccountsCall(`[${params.join()}]`, NODE_RULES)
  if (isSolanaError(call)) return call
  const slot = chain.slots.slotAt(call.commitment)
  if (call.minContextSlot !== null && call.minContextSlot > BigInt(slot)) {
    return minContextSlotError(BigInt(slot))
  }
  const text = recordsText(chain, slot, programAccounts(chain, slot, call), call)
  if (isSolanaError(text)) return text
  return call.withContext ? inContext(slot, `[${text}]`) : `[${text}]`
}

function programAccounts(
  chain: SolanaChain,
  slot: number,
  { program, filters, encoding }: ProgramAccountsCall,
): Account[] {
  const accounts = chain.history
    .ofProgram(program, slot)
    .filter(({ data }) => matchesFilters(filters, data))
  if (encoding !== 'jsonParsed' || !isTokenProgram(program)) return accounts
  // A node leaves out the accounts of the token programs that it cannot parse.
  const helps = helpsAt(chain, slot)
  return accounts.filter((account) => parseAccount(account, helps) !== null)
}
