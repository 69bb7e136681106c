import { openPostgresWire } from '../../src/cluster/signals/postgres-wire.ts'
import type { SignalWire } from '../../src/cluster/signals/relayed-signals.ts'
import { systemClock } from '../../src/system/machine/system-clock.ts'
import { systemEntropy } from '../../src/system/machine/system-entropy.ts'
import { quietTelemetry } from '../../tests/support/basics/quiet-telemetry.ts'
import { databaseIn } from './open-store.ts'
import { type Cost, ownUs, serverCost } from './server-cost.ts'

/** Processes that hear each other. */
const PROCESSES = 6

/** A full frame of limits. */
const TEXT = 'x'.repeat(6800)

/** Each process has so many frames on their way. */
const UNDER_WAY = 4

const LOOK_EVERY_MS = 5

/** A frame over PostgreSQL's notifications, from each of six processes to all of them. */
export async function notifyCost(serverUrl: string, frames: number): Promise<Cost> {
  const { HEADGATE_DATABASE: url } = await databaseIn(serverUrl, 'notified')
  let heard = 0
  const needs = { clock: systemClock(), entropy: systemEntropy(), telemetry: quietTelemetry() }
  const notice = { away() {}, back() {} }
  const hear = () => {
    heard++
  }
  const wires = Array.from({ length: PROCESSES }, () => openPostgresWire(needs, url, hear, notice))
  try {
    for (const wire of wires) await untilLinked(wire)
    return await serverCost(url, frames, async () => {
      const before = ownUs()
      const wanted = heard + frames * PROCESSES
      let left = frames
      const send = async (wire: SignalWire) => {
        while (left-- > 0) await wire.send(TEXT)
      }
      await Promise.all(
        wires.flatMap((wire) => Array.from({ length: UNDER_WAY }, () => send(wire))),
      )
      while (heard < wanted) await Bun.sleep(LOOK_EVERY_MS)
      return ownUs() - before
    })
  } finally {
    await Promise.all(wires.map((wire) => wire.close()))
  }
}

/** It refuses what it is given before it has its connections. */
async function untilLinked(wire: SignalWire): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const isSent = await wire.send('').then(
      () => true,
      () => false,
    )
    if (isSent) return
    await Bun.sleep(LOOK_EVERY_MS)
  }
  throw new Error('there is no link to the server')
}
