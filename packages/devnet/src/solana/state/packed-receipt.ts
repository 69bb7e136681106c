import { assert } from '../../../../../src/core/errors.ts'
import { readTransaction } from '../solana-transaction.ts'
import type { Receipt } from '../solana-transactions.ts'

/** Marks of the values that JSON has no form for. */
const BYTES = '$bytes'
const WHOLE = '$whole'

/** A transaction of the ledger as bytes. */
export function packReceipt({ transaction, ...rest }: Receipt): Uint8Array {
  const text = JSON.stringify({ ...rest, transaction: transaction.bytes }, written)
  return new Uint8Array(Bun.zstdCompressSync(Buffer.from(text), { level: 1 }))
}

/** The transaction that was packed. */
export function unpackReceipt(packed: Uint8Array): Receipt {
  const text = Buffer.from(Bun.zstdDecompressSync(packed)).toString()
  const { transaction: bytes, ...rest } = JSON.parse(text, revived)
  const transaction = readTransaction(bytes)
  assert(typeof transaction !== 'string', 'what is kept has been read before')
  return { ...rest, transaction }
}

/** Some bytes have a form in JSON of their own by now, so the value is taken from before. */
function written(this: Record<string, unknown>, name: string): unknown {
  const value = this[name]
  if (value instanceof Uint8Array) return { [BYTES]: value.toBase64() }
  return typeof value === 'bigint' ? { [WHOLE]: String(value) } : value
}

function revived(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const marked = value as { [BYTES]?: string; [WHOLE]?: string }
  if (marked[BYTES] !== undefined) return Uint8Array.fromBase64(marked[BYTES])
  return marked[WHOLE] === undefined ? value : BigInt(marked[WHOLE])
}
