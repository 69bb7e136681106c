import { encodeKey } from '../../core/solana/base58.ts'
import { readLedgerClock, readSocketMessage } from '../../core/solana/slots/socket-message.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SocketRequest, Sockets } from '../../ports/sockets.ts'

type Needs = { clock: Clock; sockets: Sockets }

export type IndexConnectionListener = {
  /** From the slot after this one on, everything is told. */
  covered(slot: number): void
  /** A slot's clock. All changes of the slots before it were told before. False: it is no good. */
  clock(slot: number, unixTimestamp: bigint): boolean
  /** A record in base64, as it is after that slot. False: it is no good. */
  changed(program: Uint8Array, slot: number, record: Uint8Array): boolean
  /** Called once. */
  ended(reason: string, lastedMs: number): void
}

export type IndexConnection = {
  /** The slot after which everything is told; null until all was subscribed to. */
  readonly completeAfterSlot: number | null
  /** True when a clock of a later slot was heard; false when that takes too long, or it ended. */
  waitForSlotAfter(slot: number): Promise<boolean>
  end(reason: string): void
}

/** From dialling to the first clock. */
const HANDSHAKE_MS_MAX = 15_000
/** How long a slot may take to become known here after a node has shown it. */
const SLOT_WAIT_MS_MAX = 10_000

/** The largest account has 10 MiB of data, a third more in base64. */
export const MESSAGE_CHARS_MAX = 16 * 1024 * 1024

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111'
const CLOCK_CALL_ID = 1
const FIRST_PROGRAM_CALL_ID = 2
const FORM = { encoding: 'base64', commitment: 'confirmed' }

type Waiting = { slot: number; resolve(isBeyond: boolean): void }

type OpenConnection = {
  programs: readonly Uint8Array[]
  listener: IndexConnectionListener
  /** The subject of each subscription. */
  topics: Map<string, Uint8Array | 'clock'>
  waiting: Set<Waiting>
  completeAfterSlot: number | null
  /** The slot of the newest clock. */
  newest: number
  fault: string | null
  /** Told when all is subscribed to. */
  begun(): void
  end(reason: string): void
}

/**
 * One connection that tells of the changes of some programs' accounts. The ledger's clock, which
 * is written in every block, is subscribed to beside them: it shows that the connection is alive,
 * that no block was missed, and when a slot is told to its end.
 */
export function openIndexConnection(
  { clock, sockets }: Needs,
  request: SocketRequest,
  programs: readonly Uint8Array[],
  listener: IndexConnectionListener,
): IndexConnection {
  const openedAtMs = clock.monotonicMs()
  const connection: OpenConnection = {
    programs,
    listener,
    topics: new Map(),
    waiting: new Set(),
    completeAfterSlot: null,
    newest: Number.NEGATIVE_INFINITY,
    fault: null,
    begun: clock.after(HANDSHAKE_MS_MAX, () => connection.end('no_answer')),
    end(reason) {
      connection.fault ??= reason
      socket.close()
    },
  }
  const socket = sockets.open(request, {
    opened() {
      socket.send(callText(CLOCK_CALL_ID, 'accountSubscribe', CLOCK_SYSVAR))
      for (const [at, program] of programs.entries()) {
        socket.send(callText(FIRST_PROGRAM_CALL_ID + at, 'programSubscribe', encodeKey(program)))
      }
    },
    received(text) {
      const fault = hear(connection, text)
      if (fault !== null) connection.end(fault)
    },
    closed(reason) {
      connection.begun()
      connection.fault ??= reason
      for (const one of connection.waiting) one.resolve(false)
      listener.ended(connection.fault, clock.monotonicMs() - openedAtMs)
    },
  })
  return {
    get completeAfterSlot() {
      return connection.completeAfterSlot
    },
    waitForSlotAfter: (slot) => waitForSlotAfter(clock, connection, slot),
    end: connection.end,
  }
}

/** Takes one message; returns why the connection is no good, or null. */
function hear(connection: OpenConnection, text: string): string | null {
  // Messages still under way when a connection is given up are not relied on.
  if (connection.fault !== null) return null
  const { topics, programs } = connection
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
  return topic === 'clock'
    ? hearClock(connection, slot, value)
    : hearChange(connection, topic, slot, value)
}

function hearClock(connection: OpenConnection, slot: number, value: Uint8Array): string | null {
  const said = readLedgerClock(value)
  if (said?.slot !== slot) return 'garbage'
  if (slot === connection.newest) return null
  if (slot < connection.newest || !connection.listener.clock(slot, said.unixTimestamp))
    return 'out_of_order'
  connection.newest = slot
  if (connection.completeAfterSlot === null) {
    connection.completeAfterSlot = slot
    connection.begun()
    connection.listener.covered(slot)
  }
  for (const one of [...connection.waiting]) if (slot > one.slot) one.resolve(true)
  return null
}

function hearChange(
  connection: OpenConnection,
  program: Uint8Array,
  slot: number,
  value: Uint8Array,
): string | null {
  if (connection.completeAfterSlot === null) return null
  if (slot < connection.newest) return 'out_of_order'
  return connection.listener.changed(program, slot, value) ? null : 'overloaded'
}

function waitForSlotAfter(
  clock: Clock,
  connection: OpenConnection,
  slot: number,
): Promise<boolean> {
  if (connection.fault !== null) return Promise.resolve(false)
  if (connection.newest > slot) return Promise.resolve(true)
  return new Promise((resolve) => {
    const one: Waiting = {
      slot,
      resolve(isBeyond) {
        stopTimer()
        connection.waiting.delete(one)
        resolve(isBeyond)
      },
    }
    const stopTimer = clock.after(SLOT_WAIT_MS_MAX, () => one.resolve(false))
    connection.waiting.add(one)
  })
}

function callText(id: number, method: string, subject: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: [subject, FORM] })
}
