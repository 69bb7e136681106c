import { isJsonObject } from '../../core/json/json-value.ts'
import { askEach, type PartWay } from './ask-each.ts'
import {
  type Asking,
  askWay,
  firstOffered,
  type Listed,
  noteWrongShape,
  type Said,
  trouble,
} from './block-capabilities.ts'

const ONE_RECEIPT: PartWay = {
  way: 'eth_getTransactionReceipt',
  name: 'receipt',
  paramsOf: (hash) => [hash],
  hasShape: isJsonObject,
}

/** The receipts of a block in the form of `eth_getBlockReceipts`, however they are had. */
export function readReceipts(asking: Asking, listed: Listed): Promise<Said> {
  return firstOffered(asking, [
    { way: 'eth_getBlockReceipts', read: () => readAtOnce(asking, listed) },
    { way: 'eth_getTransactionReceipt', read: () => readOneByOne(asking, listed) },
  ])
}

async function readAtOnce(asking: Asking, listed: Listed): Promise<Said> {
  const way = 'eth_getBlockReceipts'
  const said = await askWay(asking, way, [asking.ref.hash])
  if (said.kind !== 'value') return said
  const transactions = await listed()
  const { value } = said
  if (value === null) return transactions?.length === 0 ? said : trouble('there are no receipts')
  if (!Array.isArray(value)) return noteWrongShape(asking, way)
  // Found here rather than later, so that one by one they may still be had.
  if (transactions && value.length !== transactions.length) {
    return trouble(`there are ${value.length} receipts for ${transactions.length} transactions`)
  }
  return said
}

async function readOneByOne(asking: Asking, listed: Listed): Promise<Said> {
  const transactions = await listed()
  if (!transactions) return trouble('the block has no readable list of transactions')
  return askEach(asking, ONE_RECEIPT, transactions)
}
