import type { SolanaError } from '../../core/solana/account.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import type { VerifiedSlot } from '../../core/solana/slots/verified-slots.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'
import type { AccountStore, KnownMint, PageOrder, PageStep } from '../../ports/account-store.ts'
import type { IndexPage, IndexPart, IndexPlace } from '../snapshot/indexed-pages.ts'
import type { LookUpMints } from './account-index-mints.ts'
import { type FairTurns, openFairTurns } from './fair-turns.ts'

/** Reads a page step by step, so that others get their turn in between. */
export type PageReader = {
  /** All of it, if that is not too much to be held. */
  page(
    call: ProgramAccountsCall,
    place: IndexPlace,
    shown: VerifiedSlot,
  ): Promise<IndexPage | SolanaError | 'large'>
  /** The same bit by bit, each read when it is asked for. */
  parts(
    call: ProgramAccountsCall,
    place: IndexPlace,
    shown: VerifiedSlot,
  ): AsyncGenerator<IndexPart>
}

/** A larger page comes in parts: it may have hundreds of megabytes, and its reader be slow. */
const WHOLE_BYTES_MAX = 8 * 1024 * 1024
/** So much of a page is held for as long as its reader takes. */
const PART_BYTES = 2 * 1024 * 1024

const COMMA = Uint8Array.of(44)

/** One is on its way while the other is read: the store reads in one thread. */
const STEPS_AT_ONCE = 2

type Reading = { store: AccountStore; lookUpMints: LookUpMints; turns: FairTurns }

/** The next records, with what parts them from those before. */
type Step = {
  bytes: Uint8Array[]
  count: number
  last: Uint8Array | null
  /** Null where more has to be looked at to tell. */
  more: boolean | null
}

export function openPageReader(store: AccountStore, lookUpMints: LookUpMints): PageReader {
  const reading = { store, lookUpMints, turns: openFairTurns(STEPS_AT_ONCE) }
  return {
    page: (call, place, shown) =>
      readWhole(steps(reading, call, place, shown, WHOLE_BYTES_MAX), call),
    async *parts(call, place, shown) {
      for await (const step of steps(reading, call, place, shown, PART_BYTES)) {
        // A caller who asks for parts was told that there is nothing to refuse.
        if (isSolanaError(step)) throw new Error(step.message)
        yield { bytes: step.bytes, last: step.last, more: step.more === true }
      }
    },
  }
}

async function readWhole(
  steps: AsyncGenerator<Step | SolanaError>,
  { encoding }: ProgramAccountsCall,
): Promise<IndexPage | SolanaError | 'large'> {
  const bytes: Uint8Array[] = []
  const page: IndexPage = { bytes, count: 0, last: null, more: false }
  // In base 58 the last account may still be refused, and with it all of the answer.
  const mayBeRefused = encoding === 'base58' || encoding === 'binary'
  let bytesRead = 0
  for await (const step of steps) {
    if (isSolanaError(step)) return step
    bytes.push(...step.bytes)
    bytesRead += step.bytes.reduce((sum, piece) => sum + piece.length, 0)
    if (bytesRead > WHOLE_BYTES_MAX) {
      bytes.length = 0
      if (!mayBeRefused) return 'large'
    }
    if (step.count > 0) Object.assign(page, { last: step.last, count: page.count + step.count })
    page.more = step.more === true
  }
  return bytesRead > WHOLE_BYTES_MAX ? 'large' : page
}

async function* steps(
  reading: Reading,
  call: ProgramAccountsCall,
  { limit, bytesMax, teamId, after: first }: IndexPlace,
  { slot, unixTimestamp }: VerifiedSlot,
  stepBytesMax: number,
): AsyncGenerator<Step | SolanaError> {
  let count = 0
  let bytesRead = 0
  let after = first
  for (;;) {
    const step = await readStep(reading, call, teamId, {
      ...questionOf(call),
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
    const bytes = step.count === 0 ? [] : count > 0 ? [COMMA, step.bytes] : [step.bytes]
    count += step.count
    bytesRead += step.bytes.length
    const more = typeof step.more === 'boolean' ? step.more : null
    yield { bytes, count: step.count, last: step.last, more }
    if (typeof step.more === 'boolean') return
    after = step.more.lookedTo
  }
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

type Question = Pick<
  PageOrder,
  'program' | 'order' | 'filters' | 'encoding' | 'dataSlice' | 'changedSinceSlot'
>

function questionOf(call: ProgramAccountsCall): Question {
  const { program, order, filters, encoding, dataSlice, changedSinceSlot: since } = call
  const changedSinceSlot = since === null ? null : Number(since)
  return { program, order, filters, encoding, dataSlice, changedSinceSlot }
}
