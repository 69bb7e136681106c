import { encodeKey } from '../../base58.ts'
import { plainDouble } from './plain-double.ts'

/** Writes the JSON text of the state in `length` bytes from `at`; null when they do not fit it. */
export type StateWriter = (
  data: Uint8Array,
  view: DataView,
  at: number,
  length: number,
) => string | null

/** A state whose fields lie one after the other, without gaps. */
type Layout = { bytes: number; write: StateWriter }

export type Field = readonly [name: string, form: keyof typeof FORMS | Layout]

type FieldWriter = (data: Uint8Array, view: DataView, at: number) => string

const KEY_BYTES = 32
const ELGAMAL_TEXT_BYTES = 64
const AES_TEXT_BYTES = 36

const ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen'] as const

const FORMS = {
  bool: { bytes: 1, write: (data, _view, at) => `${data[at] !== 0}` },
  u16: { bytes: 2, write: (_data, view, at) => `${view.getUint16(at, true)}` },
  i16: { bytes: 2, write: (_data, view, at) => `${view.getInt16(at, true)}` },
  u64: { bytes: 8, write: (_data, view, at) => `${view.getBigUint64(at, true)}` },
  i64: { bytes: 8, write: (_data, view, at) => `${view.getBigInt64(at, true)}` },
  // A text in the node's JSON, because JSON has no word for an infinite multiplier.
  doubleText: {
    bytes: 8,
    write: (_data, view, at) => `"${plainDouble(view.getFloat64(at, true))}"`,
  },
  accountState: { bytes: 1, write: (data, _view, at) => accountStateText(data[at]) },
  key: { bytes: KEY_BYTES, write: (data, _view, at) => keyText(data, at) },
  optionalKey: { bytes: KEY_BYTES, write: (data, _view, at) => optionalKeyText(data, at) },
  elgamalKey: base64Form(KEY_BYTES),
  optionalElgamalKey: {
    bytes: KEY_BYTES,
    write: (data, _view, at) => (isZeroKey(data, at) ? 'null' : base64Text(data, at, KEY_BYTES)),
  },
  elgamalText: base64Form(ELGAMAL_TEXT_BYTES),
  aesText: base64Form(AES_TEXT_BYTES),
} as const satisfies Record<string, { bytes: number; write: FieldWriter }>

/**
 * Fields in the order of their bytes become a writer of a JSON object in the order of their names,
 * which is how a node sends it.
 */
export function layout(fields: readonly Field[]): Layout {
  let bytes = 0
  const members = fields.map(([name, form]) => {
    const { bytes: size, write } = typeof form === 'string' ? FORMS[form] : form
    const member = { name, offset: bytes, size, write }
    bytes += size
    return member
  })
  members.sort((a, b) => (a.name < b.name ? -1 : 1))

  const write: StateWriter = (data, view, at, length) => {
    if (length !== bytes) return null
    const texts = members.map((member) => {
      return `"${member.name}":${member.write(data, view, at + member.offset, member.size)}`
    })
    return `{${texts.join(',')}}`
  }
  return { bytes, write }
}

export function keyText(data: Uint8Array, at: number): string {
  return `"${encodeKey(data.subarray(at, at + KEY_BYTES))}"`
}

/** A key of zeros stands for none. */
export function optionalKeyText(data: Uint8Array, at: number): string {
  return isZeroKey(data, at) ? 'null' : keyText(data, at)
}

export function isZeroKey(data: Uint8Array, at: number): boolean {
  for (let index = at; index < at + KEY_BYTES; index++) if (data[index] !== 0) return false
  return true
}

/** A state that no version knows counts as the first one. */
export function accountStateText(state = 0): string {
  return `"${ACCOUNT_STATES[state] ?? ACCOUNT_STATES[0]}"`
}

function base64Form(bytes: number): { bytes: number; write: FieldWriter } {
  return { bytes, write: (data, _view, at) => base64Text(data, at, bytes) }
}

function base64Text(data: Uint8Array, at: number, bytes: number): string {
  return `"${data.subarray(at, at + bytes).toBase64()}"`
}
