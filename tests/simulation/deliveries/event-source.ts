import type { Database } from '../../../src/ports/database.ts'
import {
  type DueResult,
  type RecordedEvent,
  recordEvent,
} from '../../../src/tables/chain/chain-events.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import { hash32 } from '../chain-block.ts'
import { NETWORK } from '../sim-store.ts'
import { CHAIN, type DeliveryRun, wallOf } from './delivery-run.ts'

type Needs = {
  run: DeliveryRun
  chance: Chance
  database: Database
  /** After the commit. */
  committed(event: RecordedEvent): void
}

/** A block that is canonical now. */
export type SourceBlock = { number: number; hash: string; sequenceNumber: number }

export type EventSource = {
  /** From the lowest to the tip. */
  blocks: SourceBlock[]
  /** Records an event every now and then until it is time to end. */
  begin(endMs: number): void
  isDone(): boolean
}

const FIRST_NUMBER = 100
const DEPTH_MAX = 3
const DUE_RATE = 0.85

/** Not every character is one byte, and the bill counts bytes. */
const WORDS = ['Transfer', 'Grüße', '世界', '😀', '0xabc', '\\"', '']

/** A chain that only tells what is due: it grows, and now and then changes its mind. */
export function openEventSource({ run, chance, database, committed }: Needs): EventSource {
  const { clock, plan, trace, book } = run
  let isDone = false
  const source: EventSource = {
    blocks: [],
    isDone: () => isDone,
    begin(endMs) {
      const step = () => {
        isDone = clock.elapsedMs() >= endMs
        if (isDone) return
        void recordNext().then(() => {
          clock.after(plan.blockTimeMs * (0.2 + 1.6 * chance.fraction()), step)
        })
      }
      step()
    },
  }
  let serial = 0
  let sequence: number | null = null

  const recordNext = async () => {
    const { blocks } = source
    const forks = blocks.length > DEPTH_MAX && chance.fraction() < plan.reorganisationRate
    if (forks) blocks.length -= chance.between(1, DEPTH_MAX)
    const parent = blocks.at(-1)
    const number = parent ? parent.number + 1 : FIRST_NUMBER
    const hash = hash32('b1', number * 65_536 + ++serial)
    const due = dueTo(chance, [...book.webhooks.keys()], number, serial)
    run.recording.set(CHAIN, due)
    const recorded = await recordEvent(database, {
      network: NETWORK,
      previousSequence: sequence,
      header: { number, hash, parentHash: parent?.hash ?? hash32('b0', number) },
      kind: sequence === null ? 'first' : forks ? 'forks' : 'extends',
      finalized: null,
      keepFrom: 0,
      atMs: wallOf(run, CHAIN),
      due,
    })
    if (recorded === 'lost') throw new Error('nobody else moves this chain')
    sequence = recorded.sequenceNumber
    blocks.push({ number, hash, sequenceNumber: sequence })
    trace.note(CHAIN, 'records', sequence % 1e12, number, forks ? 'of a fork' : '')
    committed(recorded)
  }
  return source
}

/** A few results, each due to some. */
function dueTo(
  chance: Chance,
  webhookIds: readonly string[],
  number: number,
  serial: number,
): DueResult[] {
  const results = Array.from({ length: 2 }, (_, at) => resultOf(chance, number, `${serial}.${at}`))
  const shares: string[][] = results.map(() => [])
  for (const id of webhookIds) {
    if (chance.fraction() < DUE_RATE) chance.pick(shares).push(id)
  }
  return results.map((result, at) => ({ ...result, webhookIds: shares[at] ?? [] }))
}

export function resultOf(
  chance: Chance,
  number: number,
  name: string,
): Omit<DueResult, 'webhookIds'> {
  const word = chance.pick(WORDS).repeat(chance.between(1, 8))
  const data = JSON.stringify({ block: { number, name, word } })
  const fields = ['block.logs']
  const truncation = chance.fraction() < 0.1 ? { fields, reason: 'It is "too" large.' } : null
  return { data, bytes: Buffer.byteLength(data), truncation }
}
