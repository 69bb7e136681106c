import { createHash } from 'node:crypto'
import { assert } from '../../../../src/core/errors.ts'
import type { Commitment } from '../../../../src/core/solana/account.ts'
import { decodeKey, encodeKey } from '../../../../src/core/solana/base58.ts'
import type { Clock } from '../../../../src/ports/clock.ts'
import type { AccountHistory } from './solana-account-history.ts'
import { FIRST_SLOT, SLOTS_AT_START } from './solana-asleep.ts'
import type { Machine } from './solana-machine.ts'

/** A slot's blockhash and when it began. */
export type LedgerSlot = { slot: number; blockhash: string; unixSeconds: number; hash: Uint8Array }

export type Slots = {
  /** The slot that transactions are put into now. */
  readonly now: number
  slotAt(commitment: Commitment): number
  /** Every slot has a block, so a block's height is how many slots have been. */
  heightOf(slot: number): number
  /** One of the last slots; null when it lies ahead or too far back. */
  find(slot: number): LedgerSlot | null
  /** The last slots that began after this one, the oldest first. */
  since(slot: number): readonly LedgerSlot[]
  isRecent(blockhash: string, slot: number): boolean
  /** The height up to which a blockhash of this slot is good. */
  lastValidHeight(slot: number): number
  epochOf(slot: number): { epoch: number; slotIndex: number; slotsInEpoch: number }
  /** Ends the slot and begins the next. */
  advance(): void
}

/** So far behind is `finalized`: a cluster takes 32 slots, for which nobody wants to wait here. */
export const FINALIZED_LAG_SLOTS = SLOTS_AT_START - 1

/** Transactions may name a blockhash so many blocks old. */
const BLOCKHASH_AGE_MAX = 150

/** Programs may look up so many slots in their sysvar. */
export const SLOT_HASHES_MAX = 512

export const SLOTS_PER_EPOCH = 432_000
/** From here on epochs are of full length; the first ones grow up to it. */
export const FIRST_FULL_EPOCH = 14
export const FIRST_FULL_EPOCH_SLOT = 524_256

type Needs = { clock: Clock; machine: Machine; history: AccountHistory }

/** The slots before the first one of this process, and what sets its blockhashes apart. */
type SlotsBefore = { slots: readonly LedgerSlot[]; salt: string }

const HASH_BYTES = 32
const SLOT_BYTES = 8
const SLOT_HASH_BYTES = SLOT_BYTES + HASH_BYTES

const CLOCK_SYSVAR = key('SysvarC1ock11111111111111111111111111111111')
const RECENT_BLOCKHASHES_SYSVAR = key('SysvarRecentB1ockHashes11111111111111111111')
const SLOT_HASHES_SYSVAR = key('SysvarS1otHashes111111111111111111111111111')
const MOVING_SYSVARS = [CLOCK_SYSVAR, RECENT_BLOCKHASHES_SYSVAR, SLOT_HASHES_SYSVAR]

/** Time on the ledger: slots, each with a blockhash of its own. */
export function openSlots(
  { clock, machine, history }: Needs,
  firstSlot: number,
  before: SlotsBefore | null = null,
): Slots {
  const recent: LedgerSlot[] = [...(before?.slots ?? [])]
  let now = firstSlot

  const begin = () => {
    const { epoch } = epochOf(now)
    const unixSeconds = Math.floor(clock.nowMs() / 1_000)
    const ended = recent.at(-1)
    history.change(MOVING_SYSVARS, () => {
      const made = machine.moveTo(now, epoch, unixSeconds)
      const blockhash = before === null ? made : salted(made, before.salt)
      recent.push({ slot: now, blockhash, unixSeconds, hash: key(blockhash) })
      if (ended !== undefined) putSlotHashes(machine, recent)
    })
    if (recent.length > SLOT_HASHES_MAX) recent.shift()
  }

  const slots: Slots = {
    get now() {
      return now
    },
    slotAt(commitment) {
      if (commitment === 'processed') return now
      return commitment === 'confirmed' ? now - 1 : now - FINALIZED_LAG_SLOTS
    },
    heightOf: (slot) => slot - FIRST_SLOT,
    find(slot) {
      const oldest = recent[0]
      return oldest === undefined ? null : (recent[slot - oldest.slot] ?? null)
    },
    since: (slot) => recent.filter((one) => one.slot > slot),
    isRecent(blockhash, slot) {
      const found = recent.findLast((one) => one.blockhash === blockhash)
      return found !== undefined && found.slot <= slot && slot - found.slot <= BLOCKHASH_AGE_MAX
    },
    lastValidHeight: (slot) => slots.heightOf(slot) + BLOCKHASH_AGE_MAX,
    epochOf,
    advance() {
      now++
      history.openSlot(now)
      begin()
    },
  }
  begin()
  return slots
}

/** Every machine makes the same blockhashes; those of a ledger must not come again. */
function salted(blockhash: string, salt: string): string {
  return encodeKey(createHash('sha256').update(`${salt} ${blockhash}`).digest())
}

function epochOf(slot: number) {
  const since = slot - FIRST_FULL_EPOCH_SLOT
  assert(since >= 0, 'the ledger begins when epochs have their full length')
  return {
    epoch: FIRST_FULL_EPOCH + Math.floor(since / SLOTS_PER_EPOCH),
    slotIndex: since % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
  }
}

/** Lookup tables are made with a slot that this sysvar must know; the machine leaves it alone. */
function putSlotHashes(machine: Machine, recent: readonly LedgerSlot[]): void {
  const sysvarAccount = machine.account(SLOT_HASHES_SYSVAR)
  assert(sysvarAccount !== null, 'the machine has its sysvars')
  const data = new Uint8Array(SLOT_BYTES + SLOT_HASHES_MAX * SLOT_HASH_BYTES)
  const view = new DataView(data.buffer)
  const ended = recent.slice(0, -1).toReversed()
  view.setBigUint64(0, BigInt(ended.length), true)
  for (const [at, { slot, hash }] of ended.entries()) {
    const start = SLOT_BYTES + at * SLOT_HASH_BYTES
    view.setBigUint64(start, BigInt(slot), true)
    data.set(hash, start + SLOT_BYTES)
  }
  const fault = machine.put({ ...sysvarAccount, data })
  assert(fault === null, 'the machine takes its own sysvar')
}

function key(text: string): Uint8Array {
  const bytes = decodeKey(text)
  assert(bytes !== null, 'a key or a hash has 32 bytes')
  return bytes
}
