import { isQuantity, quantityToNumber } from '../../hex.ts'
import type { Block, BlockTransaction, RawObject } from '../block.ts'
import { type Forms, HEADER_FORMS, RECEIPT_FORMS, TRANSACTION_FORMS } from '../raw-forms.ts'
import { isAbsent } from './raw-members.ts'

/** Nodes disagree on whether to report it, and no query gets it from a block like this. */
const HEADER_SEEN = HEADER_FORMS.filter(([name]) => name !== 'totalDifficulty')

/** The members inside withdrawals and access lists, in the order they are written. */
const NESTED = ['address', 'storageKeys', 'index', 'validatorIndex', 'amount']

const LEADING_ZEROS = /^0x0+(?=.)/

/**
 * A digest of everything that queries can see in a block, except traces. Nodes that show the same
 * block give the same digest: case, leading zeros, unknown members, and the choice between null,
 * an empty list and nothing at all make no difference.
 */
export function contentDigest({ header, raw, transactions }: Block): string {
  const content = [header, seen(raw, HEADER_SEEN), transactions.map(transactionContent)]
  const text = JSON.stringify(content, [...Object.keys(header), ...NESTED]).toLowerCase()
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

function transactionContent({ hash, from, raw, receipt, logs }: BlockTransaction): unknown[] {
  // Nodes leave out the type of a legacy transaction, or name the parity only once.
  const whole = { ...raw, type: raw.type ?? '0x0', v: raw.v ?? raw.yParity }
  const emitted = logs.map(({ index, address, topics, data }) => [index, address, topics, data])
  return [hash, from, seen(whole, TRANSACTION_FORMS), receipt && seenReceipt(receipt), emitted]
}

/** Some nodes give a failed creation an address. */
function seenReceipt(receipt: RawObject): unknown[] {
  const { contractAddress: _, ...failed } = receipt
  return seen(quantityToNumber(receipt.status) === 1 ? receipt : failed, RECEIPT_FORMS)
}

function seen(raw: RawObject, forms: Forms): unknown[] {
  return forms.map(([name, form]) => {
    const value = raw[name]
    if (isAbsent(value) || (Array.isArray(value) && value.length === 0)) return null
    return form === isQuantity ? String(value).replace(LEADING_ZEROS, '0x') : value
  })
}
