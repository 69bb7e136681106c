import { assert } from '../../core/errors.ts'
import { type Database, type Procedure, sql } from '../../ports/database.ts'
import type { World } from '../../ports/world.ts'
import { startNewEra } from '../sql/revisions.ts'
import { FIRST_SEQUENCE_NUMBER } from './chain-tail.ts'

type Event = { network: string; sequenceNumber: number; event: number }

/**
 * The highest numbers that this process has seen in use. A standby that is promoted may lack the
 * primary's last commits. Its next events would then repeat sequence numbers and delivery ids
 * that receivers have already seen with other blocks.
 */
export type KnownNumbers = ReturnType<typeof openKnownNumbers>

type Behind = readonly (readonly [network: string, sequenceNumber: number])[]

const TOPIC = 'numbers'

const ANNOUNCED = /^(\d{1,15}) (\d{1,15}) (.+)$/

/** No failover loses more events than this. A higher number is a mistake, and raising is final. */
const LOST_MAX = 1_000_000

export function openKnownNumbers({ clock, database, signals, telemetry }: World) {
  const highest = new Map<string, number>()
  let lastEvent = 0

  const note = (network: string, sequenceNumber: number, event: number) => {
    if (event > lastEvent) lastEvent = event
    // Replays of old heights carry block numbers instead.
    if (sequenceNumber < FIRST_SEQUENCE_NUMBER) return
    if (sequenceNumber > (highest.get(network) ?? 0)) highest.set(network, sequenceNumber)
  }

  const stop = signals.subscribe(TOPIC, (text) => {
    const [, sequenceNumber, event, network] = ANNOUNCED.exec(text) ?? []
    if (network !== undefined) note(network, Number(sequenceNumber), Number(event))
  })

  return {
    /** An event was committed, or is being delivered. */
    note,
    announce({ network, sequenceNumber, event }: Event) {
      note(network, sequenceNumber, event)
      signals.publish(TOPIC, `${sequenceNumber} ${event} ${network}`)
    },
    /** If the store has gone back in time, has it continue above the known numbers. */
    async restore() {
      // Noted before the store is read: events that are committed meanwhile are not lost ones.
      const noted = [...highest].toSorted()
      if (noted.length === 0) return
      const rows = await database.query<{ network: string; sequence: number }>(sql`
        SELECT network, sequence_number AS sequence FROM chains`)
      const stored = new Map(rows.map(({ network, sequence }) => [network, sequence]))
      const behind = noted.filter(([network, known]) => {
        const lost = known - (stored.get(network) ?? FIRST_SEQUENCE_NUMBER - 1)
        return lost > 0 && lost <= LOST_MAX
      })
      if (behind.length === 0) return
      const raised = await database.perform(continueAbove, [behind, lastEvent, clock.nowMs()])
      for (const [network, known] of behind) {
        // Another process may have been first.
        if (!raised.includes(network)) continue
        const facts = { network, known, stored: stored.get(network) ?? null }
        telemetry.log('error', 'store_went_back', facts)
        telemetry.count('headgate_store_went_back_total', { network })
      }
    },
    stop,
  }
}

/**
 * Raises the numbers of networks to these, and returns the networks that were still behind. Event
 * numbers matter too, since couriers keep results and outcomes by them. SQLite is never replaced
 * while it is in use; PostgreSQL has its own version that also raises them.
 */
export const continueAbove: Procedure<[Behind, lastEvent: number, nowMs: number], string[]> = {
  name: 'continueAbove',
  async run(tx, [behind, , nowMs]) {
    const raised: string[] = []
    for (const [network, known] of behind) {
      if (await raiseSequence(tx, network, known, nowMs)) raised.push(network)
    }
    if (raised.length > 0) await startNewEra(tx)
    return raised
  },
}

async function raiseSequence(
  tx: Database,
  network: string,
  known: number,
  nowMs: number,
): Promise<boolean> {
  assert(known >= FIRST_SEQUENCE_NUMBER, 'events are numbered above all blocks')
  // A network whose first event was lost has no blocks, as one that starts over.
  const raised = await tx.query(sql`
    INSERT INTO chains
      (network, sequence_number, tip_number, tip_hash, finalized, updated_at_ms, highest_number)
    VALUES (${network}, ${known}, -1, '', ${null}, ${nowMs}, -1)
    ON CONFLICT (network) DO UPDATE SET sequence_number = excluded.sequence_number
    WHERE chains.sequence_number < excluded.sequence_number
    RETURNING network`)
  if (raised.length === 0) return false
  // The numbers of the blocks above the tip start over.
  await tx.query(sql`
    INSERT INTO chain_spans (network, from_number, sequence_number)
    SELECT network, MAX(number) + 1, CAST(${known + 1} AS BIGINT) FROM chain_blocks
    WHERE network = ${network} GROUP BY network
    ON CONFLICT (network, from_number) DO UPDATE SET sequence_number = excluded.sequence_number`)
  return true
}
