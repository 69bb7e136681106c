import type { RawChain, RawTransaction } from './raw-chain.ts'

/** The chain does not tell the bytes of a signed transaction, so these are kept for a while. */
const SIGNED_MAX = 10_000
const SIGNED_CHARS_MAX = 32 * 1_048_576

/**
 * Transactions as they were sent, so that they can be sent once more. `signedBefore` knows those
 * that were sent to the chain in an earlier run.
 */
export function openSentTransactions(
  chain: RawChain,
  signedBefore: (hash: string) => string | null = () => null,
) {
  const signedByHash = new Map<string, string>()
  let chars = 0

  const forget = (hash: string) => {
    chars -= signedByHash.get(hash)?.length ?? 0
    signedByHash.delete(hash)
  }

  return {
    note(hash: string, signed: string) {
      forget(hash)
      signedByHash.set(hash, signed)
      chars += signed.length
      for (const oldest of signedByHash.keys()) {
        if (signedByHash.size <= SIGNED_MAX && chars <= SIGNED_CHARS_MAX) break
        forget(oldest)
      }
    },

    /** The chain may not take one any more, or have it waiting, which changes nothing. */
    async resend(transactions: readonly RawTransaction[]) {
      for (const transaction of transactions) {
        const signed = signedByHash.get(transaction.hash) ?? signedBefore(transaction.hash)
        if (signed !== null) await chain.ask('eth_sendRawTransaction', [signed])
        else await chain.ask('eth_sendTransaction', [unsigned(transaction)])
      }
    },
  }
}

/** The chain signs it again, with all its fields as they were and thus to the same hash. */
function unsigned(transaction: RawTransaction): Record<string, unknown> {
  const { from, to, value, gas, nonce, input, type, accessList, authorizationList } = transaction
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const isPriced = type === '0x0' || type === '0x1'
  return {
    from,
    ...(to !== null && { to }),
    value,
    gas,
    nonce,
    data: input,
    ...(isPriced ? { gasPrice } : { maxFeePerGas, maxPriorityFeePerGas }),
    ...(type !== '0x0' && { accessList }),
    ...(authorizationList !== undefined && { authorizationList }),
  }
}
