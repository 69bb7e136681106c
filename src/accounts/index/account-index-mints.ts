import type { Commitment } from '../../core/solana/account.ts'
import { type MintFacts, readMintFacts } from '../../core/solana/parsers/parse-helps.ts'
import type { KnownMint } from '../../ports/account-store.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { readAccounts } from '../scan/read-accounts.ts'

/** Looks up mints that are not in the index with a node, at that slot or a later one. */
export type LookUpMints = (
  keys: readonly Uint8Array[],
  commitment: Commitment,
  slot: number,
) => Promise<KnownMint[]>

/** The decimals of a mint never change; what else is in it may, though seldom. */
const KNOWN_MS = 60_000
/** Some hundred bytes each. Forgetting costs only another look. */
const MINTS_MAX = 100_000

/**
 * Looks up mints by way of a node, which is asked once a minute for each. A token account may be
 * of a mint that another program owns; a node parses it all the same.
 */
export function openMintLookups(clock: Clock, service: NetworkService): LookUpMints {
  let known = new Map<string, { facts: MintFacts | null; untilMs: number }>()

  return async (keys, commitment, slot) => {
    if (known.size > MINTS_MAX) known = new Map()
    const nowMs = clock.monotonicMs()
    const unknown = keys.filter((key) => (known.get(key.toHex())?.untilMs ?? 0) <= nowMs)
    const { signal } = new AbortController()
    const asking = { clock, service, commitment, slotMin: BigInt(slot), signal }
    const accounts = await readAccounts(asking, unknown)
    const untilMs = clock.monotonicMs() + KNOWN_MS
    for (const [at, key] of unknown.entries()) {
      const account = accounts[at] ?? null
      known.set(key.toHex(), { facts: account && readMintFacts(account.data), untilMs })
    }
    return keys.map((pubkey) => ({ pubkey, facts: known.get(pubkey.toHex())?.facts ?? null }))
  }
}
