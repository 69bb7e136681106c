import type { Account } from '../account.ts'
import { decodeKey } from '../base58.ts'
import { sameKey } from '../programs.ts'
import { parsedText } from './forms/parsed-text.ts'
import { accountStateText, isZeroKey, keyText } from './forms/state-layout.ts'
import { uiAmount } from './forms/ui-amount.ts'
import type { MintFacts, ParseHelps } from './parse-helps.ts'
import { tokenExtensions } from './token-extensions.ts'
import { isMultisig, isPresent, readTokenState, type TokenState } from './token-state.ts'

/** Wrapped SOL always has nine decimals: a node knows that without looking at its mint. */
const NATIVE_MINT = decodeKey('So11111111111111111111111111111111111111112') as Uint8Array
const NATIVE_FACTS: MintFacts = { decimals: 9, interest: null, scaled: null }

const KEY_BYTES = 32
const TAG_BYTES = 4

/** Where the fields of a token account lie; tags are followed by what they announce. */
const ACCOUNT = {
  mint: 0,
  owner: 32,
  amount: 64,
  delegateTag: 72,
  state: 108,
  nativeTag: 109,
  delegatedAmount: 121,
  closeAuthorityTag: 129,
} as const

const MINT = { mintAuthorityTag: 0, supply: 36, decimals: 44, freezeAuthorityTag: 46 } as const

const MULTISIG = { required: 0, valid: 1, signers: 3, signersMax: 11 } as const

/**
 * The member `parsed` of an account of either token program. Null when a node would not parse it:
 * broken or uninitialised data, or a token account whose mint is not known.
 */
export function parseSplToken({ data }: Account, helps: ParseHelps): string | null {
  if (isMultisig(data)) return parsedText('multisig', multisigInfo(data))

  const state = readTokenState(data)
  if (state === null) return null
  if (state.kind === 'mint') return parsedText('mint', mintInfo(state))

  const mint = mintOf(data, helps)
  return mint && parsedText('account', accountInfo(state, mint, helps.unixTimestamp))
}

function mintOf(data: Uint8Array, helps: ParseHelps): MintFacts | null {
  const mint = data.subarray(ACCOUNT.mint, ACCOUNT.mint + KEY_BYTES)
  return sameKey(mint, NATIVE_MINT) ? NATIVE_FACTS : helps.mint(mint)
}

/** Members that say nothing are left out, as the node does; the rest stands in their order. */
function accountInfo(state: TokenState, mint: MintFacts, unixTimestamp: bigint): string {
  const { data, view } = state
  const amountAt = (at: number) => uiAmount(view.getBigUint64(at, true), mint, unixTimestamp)
  const isNative = isPresent(state, ACCOUNT.nativeTag)
  const extensions = tokenExtensions(state)

  let text = '{'
  if (isPresent(state, ACCOUNT.closeAuthorityTag)) {
    text += `"closeAuthority":${keyText(data, ACCOUNT.closeAuthorityTag + TAG_BYTES)},`
  }
  if (isPresent(state, ACCOUNT.delegateTag)) {
    text += `"delegate":${keyText(data, ACCOUNT.delegateTag + TAG_BYTES)},`
    text += `"delegatedAmount":${amountAt(ACCOUNT.delegatedAmount)},`
  }
  if (extensions !== null) text += `"extensions":${extensions},`
  text += `"isNative":${isNative},"mint":${keyText(data, ACCOUNT.mint)},`
  text += `"owner":${keyText(data, ACCOUNT.owner)},`
  if (isNative) text += `"rentExemptReserve":${amountAt(ACCOUNT.nativeTag + TAG_BYTES)},`
  text += `"state":${accountStateText(data[ACCOUNT.state])},`
  return `${text}"tokenAmount":${amountAt(ACCOUNT.amount)}}`
}

/** Unlike an account's, the authorities of a mint are named even when there is none. */
function mintInfo(state: TokenState): string {
  const { data, view } = state
  const authorityAt = (tagAt: number) =>
    isPresent(state, tagAt) ? keyText(data, tagAt + TAG_BYTES) : 'null'
  const extensions = tokenExtensions(state)

  let text = `{"decimals":${data[MINT.decimals]},`
  if (extensions !== null) text += `"extensions":${extensions},`
  text += `"freezeAuthority":${authorityAt(MINT.freezeAuthorityTag)},"isInitialized":true,`
  text += `"mintAuthority":${authorityAt(MINT.mintAuthorityTag)},`
  return `${text}"supply":"${view.getBigUint64(MINT.supply, true)}"}`
}

function multisigInfo(data: Uint8Array): string {
  const signers: string[] = []
  for (let index = 0; index < MULTISIG.signersMax; index++) {
    const at = MULTISIG.signers + index * KEY_BYTES
    if (!isZeroKey(data, at)) signers.push(keyText(data, at))
  }
  const required = `"numRequiredSigners":${data[MULTISIG.required]}`
  const valid = `"numValidSigners":${data[MULTISIG.valid]}`
  return `{"isInitialized":true,${required},${valid},"signers":[${signers.join(',')}]}`
}
