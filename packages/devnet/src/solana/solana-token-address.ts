import { createHash } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { assert } from '../assert.ts'
import { decodeBase58, PROGRAMS } from './solana-account.ts'

const ASSOCIATED_TOKEN = decodeBase58(PROGRAMS.associatedToken)
const MARKER = 'ProgramDerivedAddress'
const BUMP_MAX = 255

/**
 * Where a wallet's tokens of one mint are kept; wallets look there and nowhere else. It is the
 * first address, counting down, that is no public key: only the program can sign for it.
 */
export function associatedTokenAddress(
  wallet: Uint8Array,
  tokenProgram: Uint8Array,
  mint: Uint8Array,
): Uint8Array {
  for (let bump = BUMP_MAX; bump >= 0; bump--) {
    const hash = createHash('sha256').update(wallet).update(tokenProgram).update(mint)
    const address = hash.update(Buffer.of(bump)).update(ASSOCIATED_TOKEN).update(MARKER).digest()
    if (!isPublicKey(address)) return new Uint8Array(address)
  }
  assert(false, 'half of all addresses are no public keys')
}

function isPublicKey(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(new Uint8Array(bytes), true)
    return true
  } catch {
    return false
  }
}
