import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { decodeBase58, PROGRAMS } from './solana-account.ts'
import { bytesOf, u8, u32, u64 } from './solana-bytes.ts'

export type KeyPair = ReturnType<typeof keyPairOf>

type AccountUse = { key: Uint8Array; signs?: boolean; writes?: boolean }

export type Instruction = {
  program: Uint8Array
  accounts: readonly AccountUse[]
  data: Uint8Array
}

/** The bytes before the 32 of a private key of Ed25519 in its usual wrapping (PKCS #8). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')
const KEY_BYTES = 32

const SYSTEM_PROGRAM = decodeBase58(PROGRAMS.system)
const COMPUTE_BUDGET_PROGRAM = decodeBase58(PROGRAMS.computeBudget)

/** Pays for airdrops, and is the authority of mints. */
export const FAUCET = keyPairOf('headgate devnet faucet')

/** The pair of keys that belongs to a phrase, always the same. */
export function keyPairOf(phrase: string) {
  const seed = new Uint8Array(createHash('sha256').update(phrase).digest())
  const wrapped = Buffer.concat([PKCS8_HEAD, seed])
  const secret = createPrivateKey({ key: wrapped, format: 'der', type: 'pkcs8' })
  const shown = createPublicKey(secret).export({ format: 'der', type: 'spki' })
  return {
    key: new Uint8Array(shown.subarray(-KEY_BYTES)),
    seed,
    sign: (message: Uint8Array) => new Uint8Array(sign(null, message, secret)),
  }
}

export function transfer(from: Uint8Array, to: Uint8Array, lamports: bigint): Instruction {
  const accounts = [
    { key: from, signs: true, writes: true },
    { key: to, writes: true },
  ]
  return { program: SYSTEM_PROGRAM, accounts, data: bytesOf(u32(2), u64(lamports)) }
}

/** Changes a transaction without an effect, so that two alike are not taken for one. */
export function unitsLimit(units: number): Instruction {
  return { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: bytesOf(u8(2), u32(units)) }
}

/** A signed transaction in the oldest form, which everybody understands; the payer signs first. */
export function signedTransaction(
  signers: readonly [payer: KeyPair, ...others: KeyPair[]],
  blockhash: Uint8Array,
  instructions: readonly Instruction[],
): Uint8Array {
  const uses = usesOf(signers[0].key, instructions)
  const places = new Map(uses.map(({ key }, at) => [hexOf(key), at]))
  const place = (key: Uint8Array) => places.get(hexOf(key)) ?? 0
  const signing = uses.filter(({ signs }) => signs)
  const message = Buffer.concat([
    Buffer.of(
      signing.length,
      signing.filter(({ writes }) => !writes).length,
      uses.filter(({ signs, writes }) => !signs && !writes).length,
    ),
    lengthBytes(uses.length),
    ...uses.map(({ key }) => key),
    blockhash,
    lengthBytes(instructions.length),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Buffer.of(place(program)),
      lengthBytes(accounts.length),
      Buffer.from(accounts.map(({ key }) => place(key))),
      lengthBytes(data.length),
      data,
    ]),
  ])
  const pairs = new Map(signers.map((pair) => [hexOf(pair.key), pair]))
  const signatures = signing.map(({ key }) => pairs.get(hexOf(key))!.sign(message))
  return new Uint8Array(Buffer.concat([lengthBytes(signatures.length), ...signatures, message]))
}

/** Each account once, with all that any instruction does with it, in the order of a message. */
function usesOf(payer: Uint8Array, instructions: readonly Instruction[]): Required<AccountUse>[] {
  const merged = new Map<string, Required<AccountUse>>()
  const note = ({ key, signs = false, writes = false }: AccountUse) => {
    const known = merged.get(hexOf(key))
    merged.set(hexOf(key), {
      key,
      signs: signs || known?.signs === true,
      writes: writes || known?.writes === true,
    })
  }
  note({ key: payer, signs: true, writes: true })
  for (const { accounts } of instructions) accounts.forEach(note)
  for (const { program } of instructions) note({ key: program })
  const rank = ({ signs, writes }: Required<AccountUse>) => (signs ? 0 : 2) + (writes ? 0 : 1)
  // Sorting keeps the order of equals, so the payer stays first.
  return [...merged.values()].sort((a, b) => rank(a) - rank(b))
}

function lengthBytes(length: number): Buffer {
  return length < 0x80 ? Buffer.of(length) : Buffer.of((length & 0x7f) | 0x80, length >> 7)
}

function hexOf(key: Uint8Array): string {
  return key.toHex()
}
