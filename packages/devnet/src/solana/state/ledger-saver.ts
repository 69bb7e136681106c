import { PROGRAM_KEYS, sameKey } from '../../../../../src/core/solana/programs.ts'
import type { Clock } from '../../../../../src/ports/clock.ts'
import type { HearChange } from '../solana-account-history.ts'
import type { Slots } from '../solana-slots.ts'
import type { Receipt, Transactions } from '../solana-transactions.ts'
import { type LedgerFile, openLedgerFile } from './ledger-file.ts'
import {
  accountRecord,
  type KeptLedger,
  keepReceipt,
  keepSlot,
  markRecord,
  receiptRecord,
  slotRecord,
} from './ledger-records.ts'
import { packReceipt } from './packed-receipt.ts'

/** Keeps a ledger in a file while it runs. */
export type LedgerSaver = {
  /** The slots that are not to come again. */
  readonly slotReserved: number
  /** The ledger that the file has. */
  restore(): KeptLedger
  /** Nothing was kept, so nobody has seen anything of this ledger before. */
  isNew: boolean
  setAside: string | null
  /** An account changed. */
  hearChange: HearChange
  hearReceipt(receipt: Receipt): void
  /** Before a slot is shown for the first time; it will not come again after a later start. */
  reserve(slot: number): void
  /** From now on all of the ledger is saved, about once a second. */
  watch(ledger: { slots: Slots; transactions: Transactions }): void
  /** Saves what is there, and closes the file; `slot` is the last that was shown. */
  close(slot: number): void
}

const SAVE_MS = 1_000
/** Slots are reserved by so many at once, which is rare enough to cost nothing. */
const SLOTS_RESERVED = 64
/** A file so much larger than when it was written anew is written anew. */
const GROWTH_MAX = 2
const GROWTH_BYTES_MIN = 16 * 1_048_576

type Watched = { slots: Slots; transactions: Transactions }

type Saving = {
  file: LedgerFile
  kept: KeptLedger
  changed: Set<string>
  receipts: Uint8Array[]
  watched: Watched | null
  lastSlot: number
  rewrittenBytes: number
  hasComplained: boolean
  lastMark: Uint8Array
}

export function openLedgerSaver(clock: Clock, folder: string): LedgerSaver {
  const file = openLedgerFile(folder, clock.nowMs())
  const { kept, setAside } = file
  const saving: Saving = {
    file,
    kept,
    changed: new Set(),
    receipts: [],
    watched: null,
    lastSlot: 0,
    rewrittenBytes: file.bytes,
    hasComplained: false,
    lastMark: new Uint8Array(),
  }
  return {
    get slotReserved() {
      return kept.slotReserved
    },
    restore() {
      file.readBack()
      saving.lastSlot = kept.slots.at(-1)?.slot ?? 0
      return kept
    },
    isNew: kept.slotReserved === 0,
    setAside,
    hearChange(id, account) {
      // The machine looks after its sysvars itself, in each of its lives.
      if (account !== null && sameKey(account.owner, PROGRAM_KEYS.sysvar)) return
      // One that comes from the file is the very same.
      if (account !== null && kept.accounts.get(id) === account) return
      saving.changed.add(id)
      if (account === null) kept.accounts.delete(id)
      else kept.accounts.set(id, account)
    },
    hearReceipt(receipt) {
      const packed = packReceipt(receipt)
      saving.receipts.push(packed)
      keepReceipt(kept, packed)
    },
    reserve(slot) {
      if (slot <= kept.slotReserved) return
      kept.slotReserved = slot + SLOTS_RESERVED
      save(saving)
    },
    watch(ledger) {
      saving.watched = ledger
      clock.every(SAVE_MS, () => save(saving))
    },
    close(slot) {
      kept.slotReserved = slot
      save(saving)
      file.close()
    },
  }
}

/** One batch: after the end of a process either all of a moment is there, or none of it. */
function save(saving: Saving): void {
  const { file, kept, changed, receipts, watched } = saving
  const slots = watched?.slots.since(saving.lastSlot) ?? []
  const accounts = [...changed].map((id) => accountRecord(id, kept.accounts.get(id) ?? null))
  kept.transactions = watched?.transactions.count ?? kept.transactions
  const mark = markRecord(kept.slotReserved, kept.transactions)
  const isQuiet = accounts.length + slots.length + receipts.length === 0
  if (isQuiet && Buffer.compare(mark, saving.lastMark) === 0) return
  try {
    file.append([...accounts, ...slots.map(slotRecord), ...receipts.map(receiptRecord), mark])
  } catch (thrown) {
    complain(saving, thrown)
    return
  }
  saving.hasComplained = false
  saving.lastMark = mark
  changed.clear()
  receipts.length = 0
  for (const { slot, unixSeconds, hash } of slots) keepSlot(kept, slot, unixSeconds, hash)
  saving.lastSlot = slots.at(-1)?.slot ?? saving.lastSlot
  if (file.bytes < saving.rewrittenBytes * GROWTH_MAX + GROWTH_BYTES_MIN) return
  rewrite(saving)
}

function rewrite(saving: Saving): void {
  const { file, kept } = saving
  try {
    file.rewrite(kept)
  } catch (thrown) {
    complain(saving, thrown)
  }
  // Where it failed, it is tried again only after the file has grown as much once more.
  saving.rewrittenBytes = file.bytes
}

/** The ledger lives on without its file, and all that changed is saved when it can be again. */
function complain(saving: Saving, thrown: unknown): void {
  if (saving.hasComplained) return
  saving.hasComplained = true
  console.error('SOLANA_DEVNET cannot save its ledger, which goes on in memory:', thrown)
}
