import { rawMembers } from '../../../core/json/json-scan.ts'
import type { Subscriber } from '../../../core/rpc/subscription-source.ts'
import { safeInteger } from '../../../core/solana/subscriptions/subscription-message.ts'
import {
  believable,
  type Feed,
  type FeedSource,
  isPlausible,
  LOST_WHILE_RECONNECTING,
} from './feed.ts'
import { readAnew } from './read-anew.ts'

type Told = { slot: number; parent: number; root: number; text: string }

type SlotForm = {
  /** How sure a node must be of a block that stands in for one which was not told. */
  commitment: 'confirmed' | 'finalized'
  read(resultText: string): Told | null
  write(slot: number, parent: number, root: number): string
}

type State = FeedSource & {
  out: Subscriber
  form: SlotForm
  last: Told | null
  isWhole: boolean
  /** Slots that came after a loss and wait for those before them. */
  held: Told[]
  /** Counts what makes a read under way useless. */
  epoch: number
}

/** Some ten minutes; who was away longer begins anew. */
const MISSED_SLOTS_MAX = 1_500

/** The block before the first one missed is found in there. */
const PARENT_SLOTS_BACK = 64

export function openSlotFeed(source: FeedSource, out: Subscriber): Feed {
  return openOrderedFeed(source, out, {
    commitment: 'confirmed',
    read: readSlot,
    write: (slot, parent, root) => `{"parent":${parent},"root":${root},"slot":${slot}}`,
  })
}

export function openRootFeed(source: FeedSource, out: Subscriber): Feed {
  return openOrderedFeed(source, out, {
    commitment: 'finalized',
    read(text) {
      const slot = safeInteger(text)
      // Nothing is said of the one before it.
      return slot === null ? null : { slot, parent: 0, root: slot, text }
    },
    write: (slot) => `${slot}`,
  })
}

/**
 * Slots in ascending order. Those missed in a loss are the ledger's blocks of that time; the
 * ones after it wait until these are known.
 */
function openOrderedFeed(source: FeedSource, out: Subscriber, form: SlotForm): Feed {
  const state: State = { ...source, out, form, last: null, isWhole: true, held: [], epoch: 0 }
  return {
    heard: (resultText) => hear(state, resultText),
    interrupted() {
      state.epoch++
      state.isWhole = false
      state.held = []
      const { last } = state
      if (last !== null) state.last = { ...last, slot: believable(state.service, last.slot) }
    },
    resumed() {},
  }
}

function hear(state: State, resultText: string): boolean {
  const told = state.form.read(resultText)
  if (told === null || !isPlausible(state.service, told.slot)) return false
  const { last, held } = state
  if (last === null) state.isWhole = true
  else if (told.parent > last.slot) state.isWhole = false
  if (state.isWhole || last === null) {
    show(state, told)
    return true
  }
  if (told.slot <= last.slot) return true
  held.push(told)
  if (told.slot - last.slot > MISSED_SLOTS_MAX) {
    state.epoch++
    state.out.lost(LOST_WHILE_RECONNECTING)
  } else if (held.length === 1) fill(state, last)
  return true
}

function show(state: State, told: Told): void {
  // Blocks of another fork may be told late.
  if (state.last !== null && told.slot <= state.last.slot) return
  state.last = told
  state.out.notify(told.text)
}

function fill(state: State, before: Told): void {
  const { epoch, form } = state
  const from = Math.max(0, before.slot - PARENT_SLOTS_BACK)
  void readAnew(state, {
    method: 'getBlocks',
    paramsText() {
      const to = state.held.at(-1)?.slot ?? before.slot
      return `[${from},${to},{"commitment":"${form.commitment}"}]`
    },
    isWanted: () => state.epoch === epoch,
    take: (text) => takeBlocks(state, text, before),
  })
}

function takeBlocks(state: State, text: string, before: Told): boolean {
  const { form, held } = state
  const blocks = readBlocks(text)
  const first = held[0]
  // Blocks are known to be all of them when one is as new as the first slot that was told.
  if (blocks === null || first === undefined || (blocks.at(-1) ?? -1) < first.slot) return false
  for (const [at, slot] of blocks.entries()) {
    if (slot <= before.slot || slot >= first.slot) continue
    const parent = blocks[at - 1] ?? before.slot
    // A node's root of that time is not known any more; it was this one or a later one.
    const { root } = before
    show(state, { slot, parent, root, text: form.write(slot, parent, root) })
  }
  state.isWhole = true
  state.held = []
  for (const told of held) show(state, told)
  return true
}

function readSlot(text: string): Told | null {
  if (!text.startsWith('{')) return null
  const members = rawMembers(text)
  const slot = safeInteger(members.get('slot'))
  const parent = safeInteger(members.get('parent'))
  const root = safeInteger(members.get('root'))
  return slot === null || parent === null || root === null ? null : { slot, parent, root, text }
}

/** Ascending slots; null for anything else. */
function readBlocks(text: string): number[] | null {
  const blocks: unknown = JSON.parse(text)
  if (!Array.isArray(blocks)) return null
  const isAscending = blocks.every(
    (slot, at) => Number.isSafeInteger(slot) && (at === 0 || slot > blocks[at - 1]),
  )
  return isAscending ? blocks : null
}
