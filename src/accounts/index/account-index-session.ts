import { encodeKey } from '../../core/solana/base58.ts'
import { readLedgerClock, readSocketMessage } from '../../core/solana/slots/socket-message.ts'
import type { Clock } from '../../ports/clock.ts'
import type {
  SubscriptionConnection,
  SubscriptionSession,
} from '../../upstream/subscription/upstream-subscription.ts'

export type IndexListener = {
  /** From the slot after this one on, everything is told. */
  covered(slot: number): void
  /** A slot's clock. All changes of the slots before it were told before. False: it is no good. */
  clock(slot: number, unixTimestamp: bigint): boolean
  /** A record in base64, as it is after that slot. False: it is no good. */
  changed(program: Uint8Array, slot: number, record: Uint8Array): boolean
  /** A connection ended: everything must be verified anew. */
  ended(): void
}

export type IndexSession = SubscriptionSession & {
  /** The slot after which everything is told; null until all was subscribed to. */
  readonly completeAfterSlot: number | null
  /** True when a clock of a later slot was heard; false when that takes too long, or it ended. */
  waitForSlotAfter(slot: number): Promise<boolean>
  end(reason: string): void
}

/** How long a slot may take to become known here after a node has shown it. */
const SLOT_WAIT_MS_MAX = 10_000

/** A connection that says nothing for so long, while the ledger has moved on so far, is dead. */
const SILENCE_MS = 15_000
const SILENCE_SLOTS = 32

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111'
const CLOCK_CALL_ID = 1
const FIRST_PROGRAM_CALL_ID = 2
const FORM = { encoding: 'base64', commitment: 'confirmed' }

type Waiting = { slot: number; resolve(isBeyond: boolean): void }

type State = {
  clock: Clock
  programs: readonly Uint8Array[]
  listener: IndexListener
  /** All was subscribed to, and the first clock has come. */
  established(): void
  topics: Map<string, Uint8Array | 'clock'>
  waiting: Set<Waiting>
  completeAfterSlot: number | null
  /** The slot of the newest clock, and when it came. */
  newest: number
  newestAtMs: number
  isEnded: boolean
}

/**
 * Subscribes to the programs and to the ledger's clock, which is written in every block: it shows
 * that the connection is alive, that no block was missed, and when a slot is told to its end.
 */
export function openIndexSession(
  clock: Clock,
  headSlot: () => number,
  connection: SubscriptionConnection,
  programs: readonly Uint8Array[],
  listener: IndexListener,
): IndexSession {
  const state: State = {
    clock,
    programs,
    listener,
    established: connection.established,
    topics: new Map(),
    waiting: new Set(),
    completeAfterSlot: null,
    newest: Number.NEGATIVE_INFINITY,
    newestAtMs: 0,
    isEnded: false,
  }
  const end = (reason: string) => {
    state.isEnded = true
    connection.end(reason)
  }
  return {
    get hasDelivered() {
      return state.completeAfterSlot !== null
    },
    get completeAfterSlot() {
      return state.completeAfterSlot
    },
    opened() {
      connection.send(callText(CLOCK_CALL_ID, 'accountSubscribe', CLOCK_SYSVAR))
      for (const [at, program] of programs.entries()) {
        const id = FIRST_PROGRAM_CALL_ID + at
        connection.send(callText(id, 'programSubscribe', encodeKey(program)))
      }
    },
    received(text) {
      const fault = hear(state, text)
      if (fault !== null) end(fault)
    },
    checkSilence() {
      if (clock.monotonicMs() - state.newestAtMs < SILENCE_MS) return
      if (headSlot() > state.newest + SILENCE_SLOTS) end('silent')
    },
    ended(reason) {
      state.isEnded = true
      for (const one of state.waiting) one.resolve(false)
      if (reason !== 'stopped') listener.ended()
    },
    waitForSlotAfter: (slot) => waitForSlotAfter(state, slot),
    end,
  }
}

/** Takes one message; returns why the connection is no good, or null. */
function hear(state: State, text: string): string | null {
  const { topics, programs } = state
  const message = readSocketMessage(new TextEncoder().encode(text))
  if (message === null) return null
  if (message.kind === 'answer') {
    const { id, subscription } = message
    if (subscription === null) return 'refused'
    const topic = id === CLOCK_CALL_ID ? 'clock' : programs[id - FIRST_PROGRAM_CALL_ID]
    if (topic !== undefined) topics.set(subscription, topic)
    return null
  }
  const topic = topics.get(message.subscription)
  // Messages before everything was subscribed to are not relied on.
  if (topic === undefined || topics.size <= programs.length) return null
  const { slot, value } = message
  return topic === 'clock' ? hearClock(state, slot, value) : hearChange(state, topic, slot, value)
}

function hearClock(state: State, slot: number, value: Uint8Array): string | null {
  const said = readLedgerClock(value)
  if (said?.slot !== slot) return 'garbage'
  if (slot === state.newest) return null
  if (slot < state.newest || !state.listener.clock(slot, said.unixTimestamp)) return 'out_of_order'
  state.newest = slot
  state.newestAtMs = state.clock.monotonicMs()
  if (state.completeAfterSlot === null) {
    state.completeAfterSlot = slot
    state.established()
    state.listener.covered(slot)
  }
  for (const one of [...state.waiting]) if (slot > one.slot) one.resolve(true)
  return null
}

function hearChange(
  state: State,
  program: Uint8Array,
  slot: number,
  value: Uint8Array,
): string | null {
  if (state.completeAfterSlot === null) return null
  if (slot < state.newest) return 'out_of_order'
  return state.listener.changed(program, slot, value) ? null : 'overloaded'
}

function waitForSlotAfter(state: State, slot: number): Promise<boolean> {
  if (state.isEnded) return Promise.resolve(false)
  if (state.newest > slot) return Promise.resolve(true)
  return new Promise((resolve) => {
    const one: Waiting = {
      slot,
      resolve(isBeyond) {
        stopTimer()
        state.waiting.delete(one)
        resolve(isBeyond)
      },
    }
    const stopTimer = state.clock.after(SLOT_WAIT_MS_MAX, () => one.resolve(false))
    state.waiting.add(one)
  })
}

function callText(id: number, method: string, subject: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: [subject, FORM] })
}
