import type { AccountFilter, SolanaError } from '../account.ts'
import { PROGRAM_IDS } from '../programs.ts'
import { invalidParams, isSolanaError } from '../solana-error.ts'
import {
  ACCOUNT_TYPE_ACCOUNT,
  ACCOUNT_TYPE_OFFSET,
  TOKEN_ACCOUNT_BYTES,
} from './matches-filters.ts'

const KEY_BYTES = 32
const MINT_OFFSET = 0
const OWNER_OFFSET = 32

/**
 * A node answers a question for the token accounts of one owner, or of one mint, on a path of
 * its own, which takes whole keys only and leaves out what is no initialised token account.
 */
export function filtersAsNodeRuns(
  programText: string,
  filters: readonly AccountFilter[],
): readonly AccountFilter[] | SolanaError {
  const implied = impliesTokenState(programText, filters)
  if (isSolanaError(implied)) return implied
  if (!implied || filters.some((filter) => filter.kind === 'tokenAccountState')) return filters
  return [...filters, { kind: 'tokenAccountState' }]
}

/** The filters to send so that a node runs these: it adds its own, and takes no more than four. */
export function filtersToSend(
  programText: string,
  filters: readonly AccountFilter[],
): readonly AccountFilter[] {
  const last = filters.at(-1)
  if (last?.kind !== 'tokenAccountState') return filters
  const others = filters.slice(0, -1)
  return impliesTokenState(programText, others) === true ? others : filters
}

function impliesTokenState(
  programText: string,
  filters: readonly AccountFilter[],
): boolean | SolanaError {
  if (programText !== PROGRAM_IDS.splToken && programText !== PROGRAM_IDS.splToken2022) return false
  const accountsOnly = asksForTokenAccounts(programText, filters)

  const owner = asksForKey(filters, OWNER_OFFSET, 'owner')
  if (isSolanaError(owner)) return owner
  // A node that goes by owner never looks at the mint, not even at its length.
  if (owner && accountsOnly) return true

  const mint = asksForKey(filters, MINT_OFFSET, 'mint')
  return isSolanaError(mint) ? mint : mint && accountsOnly
}

function asksForKey(
  filters: readonly AccountFilter[],
  offset: number,
  name: string,
): boolean | SolanaError {
  let found = false
  for (const filter of filters) {
    if (filter.kind !== 'memcmp' || filter.offset !== offset) continue
    if (filter.bytes.length !== KEY_BYTES) {
      const given = `Incorrect byte length ${filter.bytes.length} for SPL token ${name} filter`
      return invalidParams(`${given}, expected ${KEY_BYTES}`)
    }
    found = true
  }
  return found
}

/** The last one of several sizes or account types counts, as on a node. */
function asksForTokenAccounts(programText: string, filters: readonly AccountFilter[]): boolean {
  let bySize = false
  let byType = false
  for (const filter of filters) {
    if (filter.kind === 'tokenAccountState') return true
    if (filter.kind === 'dataSize') bySize = filter.bytes === TOKEN_ACCOUNT_BYTES
    else if (filter.offset === ACCOUNT_TYPE_OFFSET && programText === PROGRAM_IDS.splToken2022) {
      byType = filter.bytes.length === 1 && filter.bytes[0] === ACCOUNT_TYPE_ACCOUNT
    }
  }
  return bySize || byType
}
