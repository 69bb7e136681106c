import { hashKey } from '../../core/access/hash-key.ts'
import type { SolanaError } from '../../core/solana/account.ts'
import {
  type PageKey,
  pageKeyError,
  readPageKey,
  writePageKey,
} from '../../core/solana/request/page-key.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import { queryHash } from '../../core/solana/request/query-hash.ts'
import { minContextSlotError } from '../../core/solana/solana-error.ts'
import type { Clock } from '../../ports/clock.ts'

type PageEnd = { snapshot: string; slot: bigint; after: Uint8Array; fingerprint: string }

export type PageKeys = ReturnType<typeof openPageKeys>

/** Names what a key is bound to: the network, and all that decides which records there are. */
export function fingerprintOf(networkId: string, call: ProgramAccountsCall): string {
  return hashKey(`${networkId}\n${queryHash(call)}`)
}

export function openPageKeys(clock: Clock, secret: Uint8Array, pageKeyMs: number) {
  return {
    /** Reads a caller's key; returns an error when it is not ours, not for this, or too old. */
    read(text: string, call: ProgramAccountsCall, fingerprint: string): PageKey | SolanaError {
      const key = readPageKey(secret, text, clock.nowMs())
      if (typeof key === 'string') return pageKeyError(key, call.version)
      if (key.queryHash !== fingerprint) return pageKeyError('foreign', call.version)
      const { minContextSlot } = call
      const isTooOld = minContextSlot !== null && minContextSlot > key.slot
      return isTooOld ? minContextSlotError(key.slot) : key
    },
    write({ snapshot, slot, after, fingerprint }: PageEnd) {
      const expiresAtMs = clock.nowMs() + pageKeyMs
      const key = { snapshot, slot, after, queryHash: fingerprint, expiresAtMs }
      return { text: writePageKey(secret, key), expiresAtMs }
    },
  }
}
