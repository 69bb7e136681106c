export type TokenKind = 'account' | 'mint'

export type TokenState = {
  kind: TokenKind
  data: Uint8Array
  view: DataView
  /** Where the extensions begin; the length of the data when there are none. */
  extensionsAt: number
}

export type ExtensionEntry = { type: number; at: number; length: number }

const ACCOUNT_BYTES = 165
const MINT_BYTES = 82
const MULTISIG_BYTES = 355

const MULTISIG_INITIALIZED_AT = 2
const ACCOUNT_STATE_AT = 108
const ACCOUNT_STATE_MAX = 2
const ACCOUNT_TAGS_AT = [72, 109, 129] as const
const MINT_INITIALIZED_AT = 45
const MINT_TAGS_AT = [0, 46] as const
const KIND_MARKS = { mint: 1, account: 2 } as const

const ENTRY_HEAD_BYTES = 4
const ENTRY_TYPE_BYTES = 2

/**
 * Tells which of the two extensible states this is, or null. The order and the strictness are the
 * node's: an initialised account first, then a mint; a tag that is neither 0 nor 1 is no state at
 * all, and data as long as a multisig is never read as something else.
 */
export function readTokenState(data: Uint8Array): TokenState | null {
  if (data.length < MINT_BYTES || data.length === MULTISIG_BYTES) return null

  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  if (isAccount(data, view)) return tokenState('account', data, view)
  if (isMint(data, view)) return tokenState('mint', data, view)
  return null
}

export function isMultisig(data: Uint8Array): boolean {
  return data.length === MULTISIG_BYTES && data[MULTISIG_INITIALIZED_AT] === 1
}

/** A presence tag is four bytes, 0 or 1; readTokenState has refused everything else. */
export function isPresent(state: TokenState, tagAt: number): boolean {
  return state.view.getUint32(tagAt, true) === 1
}

/**
 * All extensions in their order. Like the node, it gives up on the whole list when one kind is
 * unknown or one length points beyond the end: what follows could not be told from noise.
 */
export function listExtensions(state: TokenState, typeMax: number): ExtensionEntry[] {
  const { data, view } = state
  const entries: ExtensionEntry[] = []
  let at = state.extensionsAt
  // A single byte left over is room for a later reallocation, and a zero kind ends the list.
  while (at + ENTRY_TYPE_BYTES <= data.length) {
    const type = view.getUint16(at, true)
    if (type === 0) return entries
    if (type > typeMax || at + ENTRY_HEAD_BYTES > data.length) return []

    const length = view.getUint16(at + ENTRY_TYPE_BYTES, true)
    const end = at + ENTRY_HEAD_BYTES + length
    if (end > data.length) return []
    entries.push({ type, at: at + ENTRY_HEAD_BYTES, length })
    at = end
  }
  return entries
}

/**
 * Where the first extension of a kind begins, if it has exactly the length asked for. Unlike
 * listExtensions it steps over kinds that it does not know, as the node does when it looks for one.
 */
export function findExtension(state: TokenState, type: number, bytes: number): number | null {
  const { data, view } = state
  let at = state.extensionsAt
  while (at + ENTRY_HEAD_BYTES <= data.length) {
    const found = view.getUint16(at, true)
    const length = view.getUint16(at + ENTRY_TYPE_BYTES, true)
    const valueAt = at + ENTRY_HEAD_BYTES
    if (found === type) return length === bytes && valueAt + bytes <= data.length ? valueAt : null
    if (found === 0) return null
    at = valueAt + length
  }
  return null
}

function isAccount(data: Uint8Array, view: DataView): boolean {
  if (data.length < ACCOUNT_BYTES) return false
  const state = data[ACCOUNT_STATE_AT] ?? 0
  if (state === 0 || state > ACCOUNT_STATE_MAX) return false
  if (ACCOUNT_TAGS_AT.some((at) => view.getUint32(at, true) > 1)) return false
  return data.length === ACCOUNT_BYTES || data[ACCOUNT_BYTES] === KIND_MARKS.account
}

function isMint(data: Uint8Array, view: DataView): boolean {
  if (data[MINT_INITIALIZED_AT] !== 1) return false
  if (MINT_TAGS_AT.some((at) => view.getUint32(at, true) > 1)) return false
  if (data.length === MINT_BYTES) return true

  // Extensions begin where those of an account would; what lies between is zero.
  if (data.length <= ACCOUNT_BYTES || data[ACCOUNT_BYTES] !== KIND_MARKS.mint) return false
  for (let at = MINT_BYTES; at < ACCOUNT_BYTES; at++) if (data[at] !== 0) return false
  return true
}

function tokenState(kind: TokenKind, data: Uint8Array, view: DataView): TokenState {
  return { kind, data, view, extensionsAt: Math.min(ACCOUNT_BYTES + 1, data.length) }
}
