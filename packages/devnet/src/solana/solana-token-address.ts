import { createHash } from 'node:crypto'
import { assert } from '../../../../src/core/errors.ts'

/** Where a wallet's tokens of one mint are kept; wallets look there and nowhere else. */
export function associatedTokenAddress(
  wallet: Uint8Array,
  tokenProgram: Uint8Array,
  mint: Uint8Array,
  associatedTokenProgram: Uint8Array,
): Uint8Array {
  return derivedAddress([wallet, tokenProgram, mint], associatedTokenProgram)
}

const MARKER = 'ProgramDerivedAddress'
const BUMP_MAX = 255

/** The field of curve25519, and the constant of its twisted Edwards form. */
const PRIME = 2n ** 255n - 19n
const EDWARDS_D = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3n

/** The first address, counting down, that is no public key: only the program can sign for it. */
function derivedAddress(seeds: readonly Uint8Array[], program: Uint8Array): Uint8Array {
  for (let bump = BUMP_MAX; bump >= 0; bump--) {
    const hash = createHash('sha256')
    for (const seed of seeds) hash.update(seed)
    const address = hash.update(Buffer.of(bump)).update(program).update(MARKER).digest()
    if (!isOnCurve(address)) return new Uint8Array(address)
  }
  assert(false, 'half of all addresses are no public keys')
}

/** A key names a point by its y; x exists when (y² - 1) / (dy² + 1) is a square. */
function isOnCurve(key: Uint8Array): boolean {
  const bytes = Uint8Array.from(key).reverse()
  bytes[0] = (bytes[0] ?? 0) & 0x7f
  const y = BigInt(`0x${bytes.toHex()}`) % PRIME
  const square = (y * y) % PRIME
  const over = (square - 1n + PRIME) % PRIME
  const under = (EDWARDS_D * square + 1n) % PRIME
  return power((over * under) % PRIME, (PRIME - 1n) / 2n) <= 1n
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let left = exponent; left > 0n; left >>= 1n) {
    if ((left & 1n) === 1n) result = (result * square) % PRIME
    square = (square * square) % PRIME
  }
  return result
}
