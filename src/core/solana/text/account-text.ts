import { rawElements, rawMembers } from '../../json/json-scan.ts'
import { isJsonObject, parseJson } from '../../json/json-value.ts'
import type { Account } from '../account.ts'
import { decodeKey } from '../base58.ts'

const U64 = /^\d{1,20}$/
const U64_MAX = 2n ** 64n - 1n

/** Nodes of the future may leave out what no account owes any more. */
const NO_RENT_EPOCH = '18446744073709551615'

/**
 * Reads the result of getMultipleAccounts in base64, with every digit of its numbers; null when it
 * is none, or not one for these keys. An account is null where there is none. `text` must be JSON.
 */
export function readAccountsReply(text: string, keys: readonly Uint8Array[]) {
  if (!isJsonObject(parseJson(text))) return null
  const result = rawMembers(text)
  const context = result.get('context') ?? ''
  const slot = context.startsWith('{') ? u64(rawMembers(context).get('slot')) : null
  const value = result.get('value') ?? ''
  if (slot === null || !value.startsWith('[')) return null
  const texts = rawElements(value)
  if (texts.length !== keys.length) return null
  const accounts: (Account | null)[] = []
  for (const [at, pubkey] of keys.entries()) {
    const account = readAccount(texts[at] ?? '', pubkey)
    if (account === undefined) return null
    accounts.push(account)
  }
  return { slot, accounts }
}

/** Undefined when it is neither an account nor null. */
function readAccount(text: string, pubkey: Uint8Array): Account | null | undefined {
  if (text === 'null') return null
  if (!text.startsWith('{')) return undefined
  const members = rawMembers(text)
  const data = readData(members.get('data'))
  const owner = parseJson(members.get('owner') ?? '')
  const ownerKey = typeof owner === 'string' ? decodeKey(owner) : null
  const lamports = u64(members.get('lamports'))
  const rentEpoch = u64(members.get('rentEpoch') ?? NO_RENT_EPOCH)
  if (!data || !ownerKey || lamports === null || rentEpoch === null) return undefined
  const executable = members.get('executable') === 'true'
  return { pubkey, owner: ownerKey, lamports, rentEpoch, executable, data }
}

function readData(text = ''): Uint8Array | null {
  const data = parseJson(text)
  if (!Array.isArray(data) || data.length !== 2 || data[1] !== 'base64') return null
  if (typeof data[0] !== 'string') return null
  try {
    return Uint8Array.fromBase64(data[0])
  } catch {
    return null
  }
}

function u64(digits = ''): bigint | null {
  if (!U64.test(digits)) return null
  const value = BigInt(digits)
  return value <= U64_MAX ? value : null
}
