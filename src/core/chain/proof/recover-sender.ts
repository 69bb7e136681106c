import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccakDigits } from './keccak-digits.ts'

const { Signature } = secp256k1

/** The address is the end of the hash of the public key. */
const ADDRESS_DIGITS = 40

/** The address that has signed these digits; null where the signature is none. */
export function recoverSender(signed: string, parity: 0 | 1, r: string, s: string): string | null {
  const digest = Uint8Array.fromHex(keccakDigits(signed))
  try {
    const signature = new Signature(BigInt(r), BigInt(s), parity)
    const key = signature.recoverPublicKey(digest).toHex(false)
    // The first byte tells the form of the key.
    return `0x${keccakDigits(key.slice(2)).slice(-ADDRESS_DIGITS)}`
  } catch {
    // Numbers beyond the curve, or no point on it.
    return null
  }
}
