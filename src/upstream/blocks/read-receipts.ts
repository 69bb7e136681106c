import { isJsonObject } from '../../core/json/json-value.ts'
import {
  firstSupported,
  type ListTransactions,
  noteWrongShape,
  type PartResult,
  partFailure,
  type ReadContext,
  tryMethod,
} from './part-methods.ts'
import { readEachTransaction, type TransactionPart } from './read-each-transaction.ts'

const ONE_RECEIPT: TransactionPart = {
  method: 'eth_getTransactionReceipt',
  name: 'receipt',
  paramsOf: (hash) => [hash],
  hasShape: isJsonObject,
}

/** The receipts of a block in the form of `eth_getBlockReceipts`, however they are had. */
export function readReceipts(
  context: ReadContext,
  listTransactions: ListTransactions,
): Promise<PartResult> {
  return firstSupported(context, [
    { method: 'eth_getBlockReceipts', read: () => readAtOnce(context, listTransactions) },
    {
      method: 'eth_getTransactionReceipt',
      read: async () => readEachTransaction(context, ONE_RECEIPT, await listTransactions()),
    },
  ])
}

async function readAtOnce(
  context: ReadContext,
  listTransactions: ListTransactions,
): Promise<PartResult> {
  const method = 'eth_getBlockReceipts'
  const result = await tryMethod(context, method, [context.ref.hash])
  if (result.kind !== 'value') return result
  const transactions = await listTransactions()
  const { value } = result
  if (value === null)
    return transactions?.length === 0 ? result : partFailure('there are no receipts')
  if (!Array.isArray(value)) return noteWrongShape(context, method)
  // Found here rather than later, so that one by one they may still be had.
  if (transactions && value.length !== transactions.length) {
    return partFailure(`there are ${value.length} receipts for ${transactions.length} transactions`)
  }
  return result
}
