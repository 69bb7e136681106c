import type { Account } from '../../core/solana/account.ts'
import { decodeKey } from '../../core/solana/base58.ts'
import {
  type MintFacts,
  type ParseHelps,
  readMintFacts,
} from '../../core/solana/parsers/parse-helps.ts'
import { isTokenProgram } from '../../core/solana/programs.ts'

/** Looks up what the parsers must know beyond the accounts at hand before it is needed. */
export type MintCache = Awaited<ReturnType<typeof openMintCache>>

type ReadAccounts = (keys: readonly Uint8Array[]) => Promise<(Account | null)[]>

const CLOCK = decodeKey('SysvarC1ock11111111111111111111111111111111') as Uint8Array
const CLOCK_TIME_AT = 32
const CLOCK_BYTES = 40

const KEY_BYTES = 32
const TOKEN_ACCOUNT_BYTES = 165

/** Some hundred bytes each. Few programs have more, and forgetting costs only another look. */
const MINTS_MAX = 100_000

export async function openMintCache(read: ReadAccounts) {
  const mints = new Map<string, MintFacts | null>()
  const [clock] = await read([CLOCK])
  return {
    helps: {
      mint: (pubkey) => mints.get(pubkey.toHex()) ?? null,
      unixTimestamp: clock ? timeOf(clock.data) : 0n,
    } satisfies ParseHelps,
    async learn(accounts: readonly Account[]) {
      if (mints.size > MINTS_MAX) mints.clear()
      const unknown = new Map<string, Uint8Array>()
      for (const { data, owner } of accounts) {
        if (data.length < TOKEN_ACCOUNT_BYTES || !isTokenProgram(owner)) continue
        const mint = data.subarray(0, KEY_BYTES)
        const name = mint.toHex()
        if (!mints.has(name)) unknown.set(name, mint)
      }
      const found = await read([...unknown.values()])
      for (const [at, name] of [...unknown.keys()].entries()) {
        // Its owner does not matter: a node looks at its bytes alone.
        const account = found[at] ?? null
        mints.set(name, account && readMintFacts(account.data))
      }
    },
  }
}

function timeOf(data: Uint8Array): bigint {
  if (data.length < CLOCK_BYTES) return 0n
  return new DataView(data.buffer, data.byteOffset).getBigInt64(CLOCK_TIME_AT, true)
}
