import { type LentMemory, newMemory } from '../core/lent-memory.ts'
import { joinRoomy, letGo, ROOM_BYTES, roomyBytes } from '../core/roomy-bytes.ts'
import type { SolanaError } from '../core/solana/account.ts'
import type { ProgramAccountsCall } from '../core/solana/program-accounts.ts'
import { isSolanaError } from '../core/solana/solana-error.ts'
import type { VerifiedSlot } from '../core/solana/verified-slots.ts'
import type { AccountStore, PageOrder, PageStep } from '../ports/account-store.ts'
import { type IndexPage, type IndexPlace, WHOLE_BYTES_MAX } from './indexed-pages.ts'

/** Reads a page step by step, so that others get their turn in between. */
export type PageReader = (
  call: ProgramAccountsCall,
  place: IndexPlace,
  shown: VerifiedSlot,
) => Promise<IndexPage | SolanaError>

/** For pages that are on their way or read ahead; it is had when it is first written to. */
const MEMORIES = 1
const MEMORY_BYTES = 5 * 1024 * 1024

const COMMA = 44

export function openPageReader(store: AccountStore): PageReader {
  const memories = Array.from({ length: MEMORIES }, () => newMemory(MEMORY_BYTES))
  return async (call, place, shown) => {
    const page = await readSteps(store, call, place, shown)
    return isSolanaError(page) ? page : inOnePiece(page, memories)
  }
}

async function readSteps(
  store: AccountStore,
  call: ProgramAccountsCall,
  { limit, bytesMax, after: first }: IndexPlace,
  { slot, unixTimestamp }: VerifiedSlot,
): Promise<IndexPage | SolanaError> {
  const bytes: Uint8Array[] = []
  const page: IndexPage = { bytes, room: 0, count: 0, last: null, more: false }
  let bytesRead = 0
  let after = first
  for (;;) {
    const rest = { limit: limit - page.count, bytesMax: bytesMax - bytesRead }
    const step = await store.page({
      ...questionOf(call),
      ...rest,
      slot,
      unixTimestamp,
      after,
      hasRecords: page.count > 0,
    })
    if (isSolanaError(step)) {
      bytes.forEach(letGo)
      return step
    }
    if (step.count > 0) {
      bytes.push(...(page.count > 0 ? withComma(step) : [step.bytes]))
      bytesRead += step.bytes.length
      Object.assign(page, { room: step.room, count: page.count + step.count, last: step.last })
    }
    page.more = step.more === true
    if (typeof step.more === 'boolean') return page
    after = step.more.lookedTo
  }
}

/** With what parts it from the records before: in its room, if it has some. */
function withComma({ bytes, room }: PageStep): Uint8Array[] {
  if (room === 0) return [Uint8Array.of(COMMA), bytes]
  const whole = new Uint8Array(bytes.buffer, bytes.byteOffset - 1, bytes.length + 1)
  whole[0] = COMMA
  return [whole]
}

/** Unless there is too much of it. */
function inOnePiece(page: IndexPage, memories: readonly LentMemory[]): IndexPage {
  const bytes = page.bytes.reduce((sum, piece) => sum + piece.length, 0)
  if (page.bytes.length < 2 || bytes > WHOLE_BYTES_MAX) return page
  const joined = joinRoomy(page.bytes, memories)
  page.bytes.forEach(letGo)
  return { ...page, bytes: [roomyBytes(joined)], room: ROOM_BYTES }
}

type Question = Omit<
  PageOrder,
  'slot' | 'unixTimestamp' | 'after' | 'hasRecords' | 'limit' | 'bytesMax'
>

function questionOf(call: ProgramAccountsCall): Question {
  const { program, order, filters, encoding, dataSlice, changedSinceSlot: since } = call
  const changedSinceSlot = since === null ? null : Number(since)
  return { program, order, filters, encoding, dataSlice, changedSinceSlot }
}
