import { type Account, encodeBase58, isTokenProgram, PROGRAMS } from '../solana-account.ts'

export type TokenState = { kind: 'account' | 'mint'; data: Uint8Array; view: DataView }

/** The decimals of a mint; null when the ledger has none of this key. */
export type DecimalsOf = (mint: string) => number | null

const ACCOUNT_BYTES = 165
const MINT_BYTES = 82
const MULTISIG_BYTES = 355
const EXTENSIONS_AT = 166
const KINDS = { mint: 1, account: 2 } as const
const STATES = ['uninitialized', 'initialized', 'frozen'] as const

const ACCOUNT = { mint: 0, owner: 32, amount: 64, delegate: 72, state: 108, native: 109 } as const
const DELEGATED_AMOUNT_AT = 121
const CLOSE_AUTHORITY_AT = 129
const MINT = { authority: 0, supply: 36, decimals: 44, isInitialized: 45, freeze: 46 } as const

/** The kinds of extensions that are read; the others are shown as ones that cannot be. */
const EXTENSIONS = new Map<number, [name: string, read: ((state: Reader) => object) | null]>([
  [1, ['transferFeeConfig', readFeeConfig]],
  [2, ['transferFeeAmount', (state) => ({ withheldAmount: state.u64() })]],
  [7, ['immutableOwner', null]],
  [18, ['metadataPointer', readPointer]],
  [19, ['tokenMetadata', readMetadata]],
])

/** Tells a token account from a mint by its data; null when it is neither. */
export function tokenState(data: Uint8Array): TokenState | null {
  if (data.length < MINT_BYTES || data.length === MULTISIG_BYTES) return null
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const kind = data.length > ACCOUNT_BYTES ? data[ACCOUNT_BYTES] : null
  const canBeAccount = data.length >= ACCOUNT_BYTES && (kind ?? KINDS.account) === KINDS.account
  if (canBeAccount && [1, 2].includes(data[ACCOUNT.state]!)) return { kind: 'account', data, view }
  const canBeMint = data.length === MINT_BYTES || kind === KINDS.mint
  return canBeMint && data[MINT.isInitialized] === 1 ? { kind: 'mint', data, view } : null
}

/** The data of an account as `jsonParsed` shows it; null where no token program reads it. */
export function parseToken(account: Account, decimalsOf: DecimalsOf): object | null {
  const state = isTokenProgram(account.owner) ? tokenState(account.data) : null
  if (state === null) return null
  const info = state.kind === 'mint' ? mintInfo(state) : accountInfo(state, decimalsOf)
  const program = account.owner === PROGRAMS.token ? 'spl-token' : 'spl-token-2022'
  return info && { parsed: { info, type: state.kind }, program, space: account.data.length }
}

/** A balance and how it is written; null when the mint is not there. */
export function heldAmount({ data, view }: TokenState, decimalsOf: DecimalsOf) {
  const decimals = decimalsOf(keyIn(data, ACCOUNT.mint))
  return decimals === null ? null : shownAmount(view.getBigUint64(ACCOUNT.amount, true), decimals)
}

export function mintOf({ data }: TokenState): string {
  return keyIn(data, ACCOUNT.mint)
}

export function ownerOf({ data }: TokenState): string {
  return keyIn(data, ACCOUNT.owner)
}

export function delegateOf({ data, view }: TokenState): string | null {
  return optionalKey(data, view, ACCOUNT.delegate)
}

export function amountOf({ view }: TokenState): bigint {
  return view.getBigUint64(ACCOUNT.amount, true)
}

export function mintFacts({ data, view }: TokenState) {
  return { supply: view.getBigUint64(MINT.supply, true), decimals: data[MINT.decimals]! }
}

export function shownAmount(amount: bigint, decimals: number) {
  const digits = `${amount}`.padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return {
    amount: `${amount}`,
    decimals,
    uiAmount: Number(amount) / 10 ** decimals,
    uiAmountString: rest === '' ? whole : `${whole}.${rest}`,
  }
}

/** Members that say nothing are left out, as a node does. */
function accountInfo(state: TokenState, decimalsOf: DecimalsOf): object | null {
  const { data, view } = state
  const decimals = decimalsOf(mintOf(state))
  if (decimals === null) return null
  const amountAt = (at: number) => shownAmount(view.getBigUint64(at, true), decimals)
  const closeAuthority = optionalKey(data, view, CLOSE_AUTHORITY_AT)
  const delegate = delegateOf(state)
  const isNative = view.getUint32(ACCOUNT.native, true) === 1
  return {
    ...(closeAuthority !== null && { closeAuthority }),
    ...(delegate !== null && { delegate, delegatedAmount: amountAt(DELEGATED_AMOUNT_AT) }),
    ...extensionsOf(state),
    isNative,
    mint: mintOf(state),
    owner: ownerOf(state),
    ...(isNative && { rentExemptReserve: amountAt(ACCOUNT.native + 4) }),
    state: STATES[data[ACCOUNT.state]!],
    tokenAmount: amountAt(ACCOUNT.amount),
  }
}

/** Unlike an account's, the authorities of a mint are named even when there is none. */
function mintInfo(state: TokenState): object {
  const { data, view } = state
  const { supply, decimals } = mintFacts(state)
  return {
    decimals,
    ...extensionsOf(state),
    freezeAuthority: optionalKey(data, view, MINT.freeze),
    isInitialized: true,
    mintAuthority: optionalKey(data, view, MINT.authority),
    supply: `${supply}`,
  }
}

function extensionsOf({ data, view }: TokenState): { extensions?: object[] } {
  const extensions: object[] = []
  for (let at = EXTENSIONS_AT; at + 4 <= data.length; ) {
    const [kind, length] = [view.getUint16(at, true), view.getUint16(at + 2, true)]
    if (kind === 0) break
    const [extension, read] = EXTENSIONS.get(kind) ?? ['unparseableExtension', null]
    const state = read?.(openReader(data.slice(at + 4, at + 4 + length)))
    extensions.push({ extension, ...(state && { state }) })
    at += 4 + length
  }
  return extensions.length === 0 ? {} : { extensions }
}

type Reader = ReturnType<typeof openReader>

function openReader(data: Uint8Array) {
  const view = new DataView(data.buffer)
  let at = 0
  const next = (bytes: number) => {
    at += bytes
    return at - bytes
  }
  return {
    u16: () => view.getUint16(next(2), true),
    u64: () => Number(view.getBigUint64(next(8), true)),
    key: () => keyIn(data, next(32)),
    /** Zeros are nobody's key. */
    someKey() {
      const key = keyIn(data, next(32))
      return key === PROGRAMS.system ? null : key
    },
    text() {
      const length = view.getUint32(next(4), true)
      const start = next(length)
      return Buffer.from(data.subarray(start, start + length)).toString()
    },
    count: () => view.getUint32(next(4), true),
  }
}

function readFeeConfig(state: Reader): object {
  const readFee = () => ({
    epoch: state.u64(),
    maximumFee: state.u64(),
    transferFeeBasisPoints: state.u16(),
  })
  return {
    transferFeeConfigAuthority: state.someKey(),
    withdrawWithheldAuthority: state.someKey(),
    withheldAmount: state.u64(),
    olderTransferFee: readFee(),
    newerTransferFee: readFee(),
  }
}

function readPointer(state: Reader): object {
  return { authority: state.someKey(), metadataAddress: state.someKey() }
}

function readMetadata(state: Reader): object {
  const [updateAuthority, mint] = [state.someKey(), state.key()]
  const [name, symbol, uri] = [state.text(), state.text(), state.text()]
  const pairs = Array.from({ length: state.count() }, () => [state.text(), state.text()])
  return { additionalMetadata: pairs, mint, name, symbol, updateAuthority, uri }
}

/** Four bytes say whether the key behind them is there. */
function optionalKey(data: Uint8Array, view: DataView, at: number): string | null {
  return view.getUint32(at, true) === 1 ? keyIn(data, at + 4) : null
}

function keyIn(data: Uint8Array, at: number): string {
  return encodeBase58(data.subarray(at, at + 32))
}
