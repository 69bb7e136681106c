import type { Account, SolanaError } from '../../../../../src/core/solana/account.ts'
import { encodeKey } from '../../../../../src/core/solana/base58.ts'
import { compareKeys } from '../../../../../src/core/solana/compare-keys.ts'
import { uiAmount } from '../../../../../src/core/solana/parsers/forms/ui-amount.ts'
import { readMintFacts } from '../../../../../src/core/solana/parsers/parse-helps.ts'
import { readTokenState } from '../../../../../src/core/solana/parsers/token-state.ts'
import { isTokenProgram, sameKey } from '../../../../../src/core/solana/programs.ts'
import { invalidParams, isSolanaError } from '../../../../../src/core/solana/solana-error.ts'
import type { SolanaChain } from '../solana-chain.ts'
import { formOf, helpsAt, recordsText } from './solana-account-text.ts'
import {
  inContext,
  type MethodTable,
  membersOf,
  momentOf,
  type Params,
  readKeyParam,
} from './solana-method.ts'

const MINT_AT = 0
const OWNER_AT = 32
const AMOUNT_AT = 64
const DELEGATE_TAG_AT = 72
const DELEGATE_AT = 76
const SUPPLY_AT = 36
const KEY_BYTES = 32

/** As many as a node lists. */
const LARGEST_MAX = 20

export const TOKEN_METHODS: MethodTable = {
  getTokenAccountBalance: { min: 1, max: 2, answer: getTokenAccountBalance },
  getTokenSupply: { min: 1, max: 2, answer: getTokenSupply },
  getTokenLargestAccounts: { min: 1, max: 2, answer: getTokenLargestAccounts },
  getTokenAccountsByDelegate: { min: 2, max: 3, answer: getTokenAccountsByDelegate },
  getTokenAccountsByOwner: { min: 2, max: 3, answer: getTokenAccountsByOwner },
}

/** The balance of a token account; null when the account is none, or its mint is gone. */
export function tokenHolding(chain: SolanaChain, slot: number, account: Account | null) {
  if (account === null || !isTokenProgram(account.owner)) return null
  const state = readTokenState(account.data)
  if (state?.kind !== 'account') return null
  const mint = keyAt(account, MINT_AT)
  const helps = helpsAt(chain, slot)
  const facts = helps.mint(mint)
  if (facts === null) return null
  const amount = state.view.getBigUint64(AMOUNT_AT, true)
  return {
    mint,
    owner: keyAt(account, OWNER_AT),
    amountText: uiAmount(amount, facts, helps.unixTimestamp),
  }
}

function getTokenAccountBalance(chain: SolanaChain, [keyText, configText]: Params) {
  const found = accountIn(chain, keyText, configText, 'could not find account')
  if (isSolanaError(found)) return found
  const holding = tokenHolding(chain, found.slot, found.account)
  if (holding === null) return invalidParams('Invalid param: not a Token account')
  return inContext(found.slot, holding.amountText)
}

function getTokenSupply(chain: SolanaChain, [keyText, configText]: Params) {
  const found = accountIn(chain, keyText, configText, 'could not find mint')
  if (isSolanaError(found)) return found
  const { account, slot } = found
  const state = readTokenState(account.data)
  const facts = readMintFacts(account.data)
  if (!isTokenProgram(account.owner) || state?.kind !== 'mint' || facts === null) {
    return invalidParams('Invalid param: not a Token mint')
  }
  const supply = state.view.getBigUint64(SUPPLY_AT, true)
  return inContext(slot, uiAmount(supply, facts, helpsAt(chain, slot).unixTimestamp))
}

function getTokenLargestAccounts(chain: SolanaChain, [keyText, configText]: Params) {
  const found = accountIn(chain, keyText, configText, 'could not find mint')
  if (isSolanaError(found)) return found
  const { account: mint, slot } = found
  const helps = helpsAt(chain, slot)
  const facts = readMintFacts(mint.data)
  if (!isTokenProgram(mint.owner) || readTokenState(mint.data)?.kind !== 'mint' || !facts) {
    return invalidParams('Invalid param: not a Token mint')
  }
  const holders = chain.history.ofProgram(mint.owner, slot).flatMap((account) => {
    const state = readTokenState(account.data)
    if (state?.kind !== 'account' || !sameKey(keyAt(account, MINT_AT), mint.pubkey)) return []
    return [{ account, amount: state.view.getBigUint64(AMOUNT_AT, true) }]
  })
  holders.sort((a, b) => {
    if (a.amount !== b.amount) return a.amount > b.amount ? -1 : 1
    return compareKeys(a.account.pubkey, b.account.pubkey)
  })
  const texts = holders.slice(0, LARGEST_MAX).map(({ account, amount }) => {
    const amountText = uiAmount(amount, facts, helps.unixTimestamp)
    return `{"address":"${encodeKey(account.pubkey)}",${amountText.slice(1)}`
  })
  return inContext(slot, `[${texts.join()}]`)
}

function getTokenAccountsByOwner(chain: SolanaChain, params: Params): string | SolanaError {
  return accountsOf(chain, params, (account) => keyAt(account, OWNER_AT))
}

function getTokenAccountsByDelegate(chain: SolanaChain, params: Params): string | SolanaError {
  return accountsOf(chain, params, (account) => {
    const isDelegated = account.data[DELEGATE_TAG_AT] === 1
    return isDelegated ? keyAt(account, DELEGATE_AT) : null
  })
}

/** The token accounts that name this key where `holder` looks. */
function accountsOf(
  chain: SolanaChain,
  [holderText, wantedText, configText]: Params,
  holder: (account: Account) => Uint8Array | null,
): string | SolanaError {
  const key = readKeyParam(holderText)
  if (isSolanaError(key)) return key
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const wanted = readWanted(chain, moment.slot, wantedText)
  if (isSolanaError(wanted)) return wanted

  const accounts = chain.history.ofProgram(wanted.program, moment.slot).filter((account) => {
    if (readTokenState(account.data)?.kind !== 'account') return false
    const held = holder(account)
    if (held === null || !sameKey(held, key)) return false
    return wanted.mint === null || sameKey(keyAt(account, MINT_AT), wanted.mint)
  })
  const text = recordsText(chain, moment.slot, accounts, formOf(moment.config, 'binary'))
  return isSolanaError(text) ? text : inContext(moment.slot, `[${text}]`)
}

/** `{"mint": …}` or `{"programId": …}`. */
function readWanted(chain: SolanaChain, slot: number, text: string | undefined) {
  const members = membersOf(text, 'RpcTokenAccountsFilter')
  if (isSolanaError(members)) return members
  const mintText = members.get('mint')
  const key = readKeyParam(mintText ?? members.get('programId'))
  if (isSolanaError(key)) return key
  if (mintText === undefined) {
    if (isTokenProgram(key)) return { program: key, mint: null }
    return invalidParams('Invalid param: unrecognized Token program id')
  }
  const mint = chain.history.at(key, slot)
  if (mint === null) return invalidParams('Invalid param: could not find mint')
  if (readTokenState(mint.data)?.kind !== 'mint' || !isTokenProgram(mint.owner)) {
    return invalidParams('Invalid param: not a Token mint')
  }
  return { program: mint.owner, mint: key }
}

function accountIn(
  chain: SolanaChain,
  keyText: string | undefined,
  configText: string | undefined,
  missing: string,
): { account: Account; slot: number } | SolanaError {
  const key = readKeyParam(keyText)
  if (isSolanaError(key)) return key
  const moment = momentOf(chain, configText)
  if (isSolanaError(moment)) return moment
  const account = chain.history.at(key, moment.slot)
  if (account === null) return invalidParams(`Invalid param: ${missing}`)
  return { account, slot: moment.slot }
}

function keyAt(account: Account, at: number): Uint8Array {
  return account.data.slice(at, at + KEY_BYTES)
}
