import type { SolanaError } from '../../core/solana/account.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { VerifiedSlot } from '../../core/solana/slots/verified-slots.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'
import type { AccountStore, KnownMint, PageOrder, PageStep } from '../../ports/account-store.ts'
import type { IndexPage, IndexPart, IndexPlace } from '../snapshot/indexed-pages.ts'
import type { LookUpMints } from './account-index-mints.ts'
import { type FairTurns, openFairTurns } from './fair-turns.ts'

/** A larger page comes in parts: it may have hundreds of megabytes, and its reader be slow. */
const WHOLE_BYTES_MAX = 8 * 1024 * 1024
/** So much of a page is held for as long as its reader takes. */
const PART_BYTES = 2 * 1024 * 1024

const COMMA = Uint8Array.of(44)

/** One is on its way while the other is read: the store reads in one thread. */
const STEPS_AT_ONCE = 2

/** Where pages are read: step by step, so that others get their turn in between. */
type Reading = { store: AccountStore; lookUpMints: LookUpMints; turns: FairTurns }

export function openReading(store: AccountStore, lookUpMints: LookUpMints): Reading {
  return { store, lookUpMints, turns: openFairTurns(STEPS_AT_ONCE) }
}

/** All of a page, if that is not too much to be held. */
export async function readWholePage(
  reading: Reading,
  call: ProgramAccountsCall,
  place: IndexPlace,
  shown: VerifiedSlot,
): Promise<IndexPage | SolanaError | 'large'> {
  const bytes: Uint8Array[] = []
  const page: IndexPage = { bytes, count: 0, last: null, more: false }
  // In base 58 the last account may still be refused, and with it all of the answer.
  const mayBeRefused = call.encoding === 'base58' || call.encoding === 'binary'
  let bytesRead = 0
  for await (const step of steps(reading, call, place, shown, WHOLE_BYTES_MAX)) {
    if (isSolanaError(step)) return step
    bytes.push(...step.bytes)
    bytesRead += bytesIn(step.bytes)
    if (bytesRead > WHOLE_BYTES_MAX) {
      bytes.length = 0
      if (!mayBeRefused) return 'large'
    }
    if (step.count > 0) Object.assign(page, { last: step.last, count: page.count + step.count })
    page.more = step.more
  }
  return bytesRead > WHOLE_BYTES_MAX ? 'large' : page
}

export async function* readPageParts(
  reading: Reading,
  call: ProgramAccountsCall,
  place: IndexPlace,
  shown: VerifiedSlot,
): AsyncGenerator<IndexPart> {
  for await (const step of steps(reading, call, place, shown, PART_BYTES)) {
    // A caller who asks for parts was told that there is nothing to refuse.
    if (isSolanaError(step)) throw new Error(step.message)
    yield step
  }
}

async function* steps(
  reading: Reading,
  call: ProgramAccountsCall,
  { limit, bytesMax, teamId, after: first }: IndexPlace,
  { slot, unixTimestamp }: VerifiedSlot,
  stepBytesMax: number,
): AsyncGenerator<IndexPage | SolanaError> {
  let count = 0
  let bytesRead = 0
  let after = first
  for (;;) {
    const step = await readStep(reading, call, teamId, {
      program: call.program,
      order: call.order,
      filters: call.filters,
      encoding: call.encoding,
      dataSlice: call.dataSlice,
      changedSinceSlot: call.changedSinceSlot === null ? null : Number(call.changedSinceSlot),
      limit: limit - count,
      bytesMax: bytesMax - bytesRead,
      stepBytesMax,
      slot,
      unixTimestamp,
      after,
      hasRecords: count > 0,
      mints: [],
    })
    if (isSolanaError(step)) return yield step
    const isFirst = count === 0
    const bytes = step.pieces.flatMap((piece, at) =>
      isFirst && at === 0 ? [piece] : [COMMA, piece],
    )
    count += step.count
    bytesRead += bytesIn(step.pieces)
    const { more } = step
    yield { bytes, count: step.count, last: step.last, more: more === true }
    if (typeof more === 'boolean') return
    after = more.lookedTo
  }
}

function bytesIn(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0)
}

/** Where records need mints that the store does not have, a node is asked for those. */
async function readStep(
  { store, lookUpMints, turns }: Reading,
  { commitment }: ProgramAccountsCall,
  teamId: string,
  order: PageOrder,
): Promise<PageStep | SolanaError> {
  const mints: KnownMint[] = []
  for (;;) {
    const step = await turns.run(teamId, () => store.page({ ...order, mints }))
    if (isSolanaError(step) || step.unknownMints.length === 0) return step
    mints.push(...(await lookUpMints(step.unknownMints, commitment, order.slot)))
  }
}
