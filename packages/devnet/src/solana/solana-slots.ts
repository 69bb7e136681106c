import { assert } from '../assert.ts'
import type { Clock } from '../clock.ts'
import { type Commitment, decodeBase58 } from './solana-account.ts'
import type { Accounts } from './solana-accounts.ts'
import { FIRST_SLOT } from './solana-asleep.ts'
import type { Machine } from './solana-machine.ts'

type LedgerSlot = { slot: number; blockhash: string; unixSeconds: number; hash: Uint8Array }

export type Slots = ReturnType<typeof openSlots>

/** Transactions may name a blockhash so many blocks old. */
const BLOCKHASH_AGE_MAX = 150

/** Programs may look up so many slots in their sysvar. */
const SLOT_HASHES_MAX = 512

const SLOTS_PER_EPOCH = 432_000
/** From here on epochs are of full length; the first ones grow up to it. */
const FIRST_FULL_EPOCH = 14
const FIRST_FULL_EPOCH_SLOT = 524_256

const HASH_BYTES = 32
const SLOT_BYTES = 8
const SLOT_HASH_BYTES = SLOT_BYTES + HASH_BYTES

const SLOT_HASHES_SYSVAR = 'SysvarS1otHashes111111111111111111111111111'
const MOVING_SYSVARS = [
  'SysvarC1ock11111111111111111111111111111111',
  'SysvarRecentB1ockHashes11111111111111111111',
  SLOT_HASHES_SYSVAR,
]

export function openSlots(clock: Clock, machine: Machine, accounts: Accounts, firstSlot: number) {
  const recent: LedgerSlot[] = []
  let now = firstSlot

  const begin = () => {
    const { epoch } = epochOf(now)
    const unixSeconds = Math.floor(clock.nowMs() / 1_000)
    const ended = recent.at(-1)
    accounts.change(MOVING_SYSVARS, () => {
      const blockhash = machine.moveTo(now, epoch, unixSeconds)
      recent.push({ slot: now, blockhash, unixSeconds, hash: decodeBase58(blockhash) })
      if (ended !== undefined) putSlotHashes(machine, recent)
    })
    if (recent.length > SLOT_HASHES_MAX) recent.shift()
  }

  begin()
  return {
    /** The slot that transactions are put into now. */
    get now() {
      return now
    },
    /** The open slot of `processed`; else the one before it, which is final as soon as it ended. */
    slotAt: (commitment: Commitment) => (commitment === 'processed' ? now : now - 1),
    heightOf,
    /** One of the last slots; null when it lies ahead or too far back. */
    find(slot: number): LedgerSlot | null {
      const oldest = recent[0]
      return oldest === undefined ? null : (recent[slot - oldest.slot] ?? null)
    },
    isRecent(blockhash: string, slot: number): boolean {
      const found = recent.findLast((one) => one.blockhash === blockhash)
      return found !== undefined && found.slot <= slot && slot - found.slot <= BLOCKHASH_AGE_MAX
    },
    lastValidHeight: (slot: number) => heightOf(slot) + BLOCKHASH_AGE_MAX,
    epochOf,
    advance() {
      now++
      accounts.endSlot()
      begin()
    },
  }
}

/** Every slot has a block, so a block's height is how many slots have been. */
function heightOf(slot: number): number {
  return slot - FIRST_SLOT
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
