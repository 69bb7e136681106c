import { type LentMemory, newMemory } from '../../core/lent-memory.ts'
import { joinRoomy, letGo, ROOM_BYTES, roomyBytes } from '../../core/roomy-bytes.ts'
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

/** For pages that are on their way or read ahead; it is had when it is first written to. */
const MEMORIES = 1
const MEMORY_BYTES = 5 * 1024 * 1024

/** What is more comes in parts: a page may have hundreds of megabytes, and its reader be slow. */
const WHOLE_BYTES_MAX = 8 * 1024 * 1024
/** So much of a page is held for as long as its reader takes. */
const PART_BYTES = 2 * 1024 * 1024

const COMMA = 44

/** One is on its way while the other is read: the store reads in one thread. */
const STEPS_AT_ONCE = 2

type Reading = { store: AccountStore; lookUpMints: LookUpMints; turns: FairTurns }

/** The next records, with what parts them from those before. */
type Step = {
  bytes: Uint8Array[]
  room: number
  count: number
  last: Uint8Array | null
  /** Null where more has to be looked at to tell. */
  more: boolean | null
}

export function openPageReader(store: AccountStore, lookUpMints: LookUpMints): PageReader {
  const memories = Array.from({ length: MEMORIES }, () => newMemory(MEMORY_BYTES))
  const reading = { store, lookUpMints, turns: openFairTurns(STEPS_AT_ONCE) }
  return {
    async page(call, place, shown) {
      const page = await readWhole(steps(reading, call, place, shown, WHOLE_BYTES_MAX), call)
      return isSolanaError(page) || page === 'large' ? page : inOnePiece(page, memories)
    },
    async *parts(call, place, shown) {
      for await (const step of steps(reading, call, place, shown, PART_BYTES)) {
        // Whoever asks for parts was told that there is nothing to refuse.
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
  const page: IndexPage = { bytes, room: 0, count: 0, last: null, more: false }
  // In base 58 the last account may still be refused, and with it all of the answer.
  const mayBeRefused = encoding === 'base58' || encoding === 'binary'
  let bytesRead = 0
  for await (const step of steps) {
    if (isSolanaError(step)) {
      bytes.forEach(letGo)
      return step
    }
    bytes.push(...step.bytes)
    bytesRead += step.bytes.reduce((sum, piece) => sum + piece.length, 0)
    if (bytesRead > WHOLE_BYTES_MAX) {
      bytes.splice(0).forEach(letGo)
      if (!mayBeRefused) return 'large'
    }
    const { room, last } = step
    if (step.count > 0) Object.assign(page, { room, last, count: page.count + step.count })
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
    const { room, last } = step
    const bytes = step.count === 0 ? [] : count > 0 ? withComma(step) : [step.bytes]
    count += step.count
    bytesRead += step.bytes.length
    const more = typeof step.more === 'boolean' ? step.more : null
    yield { bytes, room, count: step.count, last, more }
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
    letGo(step.bytes)
    mints.push(...(await lookUpMints(step.unknownMints, commitment, order.slot)))
  }
}

/** With what parts it from the records before: in its room, if it has some. */
function withComma({ bytes, room }: PageStep): Uint8Array[] {
  if (room === 0) return [Uint8Array.of(COMMA), bytes]
  const whole = new Uint8Array(bytes.buffer, bytes.byteOffset - 1, bytes.length + 1)
  whole[0] = COMMA
  return [whole]
}

function inOnePiece(page: IndexPage, memories: readonly LentMemory[]): IndexPage {
  if (page.bytes.length < 2) return page
  const joined = joinRoomy(page.bytes, memories)
  page.bytes.forEach(letGo)
  return { ...page, bytes: [roomyBytes(joined)], room: ROOM_BYTES }
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
