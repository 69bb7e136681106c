import { encodeKey } from '../../core/solana/base58.ts'
import { readLedgerClock, readSocketMessage } from '../../core/solana/slots/socket-message.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SocketRequest, Sockets } from '../../ports/sockets.ts'

type Needs = { clock: Clock; sockets: Sockets }

export type LineListener = {
  /** From the slot after this one on, everything is told. */
  covered(slot: number): void
  /** A slot's clock. All changes of the slots before it were told before. False: it is no good. */
  clock(slot: number, unixTimestamp: bigint): boolean
  /** A record in base64, as it is after that slot. False: it is no good. */
  changed(program: Uint8Array, slot: number, record: Uint8Array): boolean
  /** Called once. */
  ended(reason: string, lastedMs: number): void
}

export type Line = {
  /** The slot after which everything is told; null until all was subscribed to. */
  readonly coveredAfter: number | null
  /** True when a clock of a later slot was heard; false when that takes too long, or it ended. */
  beyond(slot: number): Promise<boolean>
  end(reason: string): void
}

/** From dialling to the first clock. */
const HANDSHAKE_MS_MAX = 15_000
/** How long a slot may take to become known here after a node has shown it. */
const BEYOND_MS_MAX = 10_000

/** The largest account has 10 MiB of data, a third more in base64. */
export const MESSAGE_CHARS_MAX = 16 * 1024 * 1024

const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111'
const CLOCK_CALL_ID = 1
const FIRST_PROGRAM_CALL_ID = 2
const FORM = { encoding: 'base64', commitment: 'confirmed' }

type Waiting = { slot: number; resolve(isBeyond: boolean): void }

type OpenLine = {
  programs: readonly Uint8Array[]
  listener: LineListener
  /** The subject of each subscription. */
  topics: Map<string, Uint8Array | 'clock'>
  waiting: Set<Waiting>
  coveredAfter: number | null
  /** The slot of the newest clock. */
  newest: number
  fault: string | null
  /** Told when all is subscribed to. */
  begun(): void
  end(reason: string): void
}

/**
 * One connection that tells of the changes of some programs' accounts. The ledger's clock, which
 * is written in every block, is subscribed to beside them: it shows that the line is alive, that
 * no block was missed, and when a slot is told to its end.
 */
export function openIndexLine(
  { clock, sockets }: Needs,
  request: SocketRequest,
  programs: readonly Uint8Array[],
  listener: LineListener,
): Line {
  const openedAtMs = clock.monotonicMs()
  const line: OpenLine = {
    programs,
    listener,
    topics: new Map(),
    waiting: new Set(),
    coveredAfter: null,
    newest: Number.NEGATIVE_INFINITY,
    fault: null,
    begun: clock.after(HANDSHAKE_MS_MAX, () => line.end('no_answer')),
    end(reason) {
      line.fault ??= reason
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
      const fault = hear(line, text)
      if (fault !== null) line.end(fault)
    },
    closed(reason) {
      line.begun()
      line.fault ??= reason
      for (const one of line.waiting) one.resolve(false)
      listener.ended(line.fault, clock.monotonicMs() - openedAtMs)
    },
  })
  return {
    get coveredAfter() {
      return line.coveredAfter
    },
    beyond: (slot) => beyond(clock, line, slot),
    end: line.end,
  }
}

/** Takes one message; returns why the line is no good, or null. */
function hear(line: OpenLine, text: string): string | null {
  // Messages still under way when a connection is given up are not relied on.
  if (line.fault !== null) return null
  const { topics, programs } = line
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
  return topic === 'clock' ? hearClock(line, slot, value) : hearChange(line, topic, slot, value)
}

function hearClock(line: OpenLine, slot: number, value: Uint8Array): string | null {
  const said = readLedgerClock(value)
  if (said?.slot !== slot) return 'garbage'
  if (slot === line.newest) return null
  if (slot < line.newest || !line.listener.clock(slot, said.unixTimestamp)) return 'out_of_order'
  line.newest = slot
  if (line.coveredAfter === null) {
    line.coveredAfter = slot
    line.begun()
    line.listener.covered(slot)
  }
  for (const one of [...line.waiting]) if (slot > one.slot) one.resolve(true)
  return null
}

function hearChange(
  line: OpenLine,
  program: Uint8Array,
  slot: number,
  value: Uint8Array,
): string | null {
  if (line.coveredAfter === null) return null
  if (slot < line.newest) return 'out_of_order'
  return line.listener.changed(program, slot, value) ? null : 'overloaded'
}

function beyond(clock: Clock, line: OpenLine, slot: number): Promise<boolean> {
  if (line.fault !== null) return Promise.resolve(false)
  if (line.newest > slot) return Promise.resolve(true)
  return new Promise((resolve) => {
    const one: Waiting = {
      slot,
      resolve(isBeyond) {
        stopTimer()
        line.waiting.delete(one)
        resolve(isBeyond)
      },
    }
    const stopTimer = clock.after(BEYOND_MS_MAX, () => one.resolve(false))
    line.waiting.add(one)
  })
}

function callText(id: number, method: string, subject: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: [subject, FORM] })
}
