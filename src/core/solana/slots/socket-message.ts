import { findMembers, type MemberNames, memberNames, noPlaces } from '../../json/find-members.ts'
import { QUOTE, skipSpace } from '../../json/json-bytes.ts'
import { readAccountData } from '../reply/node-account.ts'

type SocketMessage =
  /** The answer to a call of ours: the name of the subscription, null where it was refused. */
  | { kind: 'answer'; id: number; subscription: string | null }
  /** `value` is a view of the JSON that it speaks of. */
  | { kind: 'news'; subscription: string; slot: number; value: Uint8Array }

const MESSAGE = memberNames('id', 'result', 'error', 'params')
const PARAMS = memberNames('subscription', 'result')
const RESULT = memberNames('context', 'value')
const CONTEXT = memberNames('slot')

const DIGITS = /^(?:0|[1-9]\d{0,19})$/

const CLOCK_BYTES = 40
const CLOCK_TIME_AT = 32

/** Null for whatever is neither: whoever is at the other end, it must not disturb us. */
export function readSocketMessage(bytes: Uint8Array): SocketMessage | null {
  const message = membersOf(bytes, MESSAGE)
  if (message === null) return null
  const [id, result, error, params] = message
  if (params) return readNews(params)
  const number = DIGITS.test(textOf(id)) ? Number(textOf(id)) : Number.NaN
  if (!Number.isSafeInteger(number)) return null
  const subscription = textOf(result)
  const isGranted = DIGITS.test(subscription) && (!error || textOf(error) === 'null')
  return { kind: 'answer', id: number, subscription: isGranted ? subscription : null }
}

/** The ledger's clock at a slot, with the time that amounts with interest depend on. */
export function readLedgerClock(value: Uint8Array) {
  const data = readAccountData(value)
  if (data?.length !== CLOCK_BYTES) return null
  const view = new DataView(data.buffer, data.byteOffset)
  const slot = Number(view.getBigUint64(0, true))
  if (!Number.isSafeInteger(slot)) return null
  return { slot, unixTimestamp: view.getBigInt64(CLOCK_TIME_AT, true) }
}

function readNews(params: Uint8Array): SocketMessage | null {
  const [name, result] = membersOf(params, PARAMS) ?? []
  if (!name || !result) return null
  const [context, value] = membersOf(result, RESULT) ?? []
  if (!context || !value) return null
  const [slotText] = membersOf(context, CONTEXT) ?? []
  const slot = DIGITS.test(textOf(slotText)) ? Number(textOf(slotText)) : Number.NaN
  const subscription = textOf(name)
  if (!Number.isSafeInteger(slot) || !DIGITS.test(subscription)) return null
  return { kind: 'news', subscription, slot, value }
}

/** The members of the object that these bytes are, in the order of the names. */
function membersOf(bytes: Uint8Array, names: MemberNames): (Uint8Array | undefined)[] | null {
  const places = noPlaces(names)
  const end = findMembers(bytes, skipSpace(bytes, 0), names, places)
  if (end < 0 || skipSpace(bytes, end) < bytes.length) return null
  return names.map((_, index) => {
    const to = places[2 * index + 1] as number
    return to === 0 ? undefined : bytes.subarray(places[2 * index], to)
  })
}

/** The text of a number or a name; nothing of what is nested or quoted, which is neither. */
function textOf(bytes: Uint8Array | undefined): string {
  if (!bytes || bytes.length > 32 || bytes[0] === QUOTE) return ''
  return Buffer.from(bytes).toString('latin1')
}
