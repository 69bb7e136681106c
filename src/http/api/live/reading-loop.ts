import { serial } from '../../../core/async/serial.ts'
import type { Entropy } from '../../../ports/entropy.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { EventTopic } from '../../contract/contract.ts'
import { openListening } from './listening.ts'
import { openPacedLoop } from './paced-loop.ts'
import { type ChangeReader, openChangeReader, type ReaderNeeds } from './readers/change-reader.ts'
import type { LiveEvent } from './readers/live-events.ts'
import type { TeamChannel } from './team-channel.ts'

export type ReadingNeeds = ReaderNeeds & {
  entropy: Entropy
  telemetry: Pick<Telemetry, 'log'>
  /** Calls back whenever something may have changed; the returned function ends that. */
  hints(hint: () => void): () => void
}

/** A team's channel, and since when nobody has a stream of it. */
export type HeldChannel = TeamChannel & { emptyAtMs: number | null }

/** Reads what changes for as long as there is a channel, and costs nothing otherwise. */
export type ReadingLoop = {
  /** From here on the channel gets what changes of these topics. */
  begin(teamId: string, channel: HeldChannel, topics: ReadonlySet<EventTopic>): Promise<void>
  present(teamId: string): LiveEvent[]
  hint(): void
  stop(): Promise<void>
}

/** A client that is away comes back within this, and is told what it missed. */
const LINGER_MS = 60_000

export function openReadingLoop(
  needs: ReadingNeeds,
  channels: Map<string, HeldChannel>,
): ReadingLoop {
  const { clock } = needs
  const listening = openListening(needs, needs.entropy.alphanumeric(16))
  /** A team that begins to listen comes between two readings, so that none passes it over. */
  const inTurn = serial()
  let reader: ChangeReader | null = null
  let unhint = () => {}
  let isStopped = false

  const closeEmpty = async () => {
    const nowMs = clock.monotonicMs()
    for (const [teamId, { subscribers, emptyAtMs }] of channels) {
      if (subscribers.size > 0 || nowMs - (emptyAtMs ?? nowMs) < LINGER_MS) continue
      channels.delete(teamId)
      reader?.forget(teamId)
      await listening.remove(teamId)
    }
  }
  const close = () => {
    reader = null
    loop.stop()
    unhint()
    unhint = () => {}
  }
  const read = async () => {
    for (const teamId of await listening.keepUp()) reader?.miss(teamId)
    const pushed = (await reader?.read(channels)) ?? 0
    await closeEmpty()
    if (channels.size === 0) close()
    return pushed > 0
  }
  const loop = openPacedLoop(needs, () => inTurn(read))
  const open = async () => {
    const fresh = openChangeReader(needs)
    await fresh.open()
    reader = fresh
    unhint = needs.hints(loop.hint)
    loop.start()
  }

  return {
    begin: (teamId, channel, topics) =>
      inTurn(async () => {
        if (isStopped) return
        if (!reader) await open()
        const isNew = topics.has('deliveries') && !channel.hears('deliveries')
        if (isNew) await listening.add(teamId)
        await reader?.begin(teamId)
        channel.hear(topics)
        // It may have been closed while this waited for its turn.
        channels.set(teamId, channel)
      }),
    present: (teamId) => reader?.present(teamId) ?? [],
    hint: loop.hint,
    async stop() {
      isStopped = true
      close()
      await inTurn(listening.stop).catch(() => {})
    },
  }
}
