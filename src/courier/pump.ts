import type { NewsReader } from './schedule/event-news.ts'
import { pickTurns } from './schedule/pick-turns.ts'
import { type TurnNeeds, takeTurns } from './schedule/take-turns.ts'
import type { WebhookLines } from './schedule/webhook-lines.ts'
import { openOutbox } from './send/outbox.ts'

type Needs = Omit<TurnNeeds, 'outbox' | 'outdated'> & {
  lines: WebhookLines
  news: NewsReader
  /** Outcomes that are not committed yet. */
  unwritten(): number
  isStopped(): boolean
  /** What a process before this one had in hand has rows by now, and can be sent in order. */
  isReady(): boolean
  failed(thrown: unknown): void
}

export type Pump = {
  /** Sends what can be sent, unless that is being done already. */
  run(): void
  /** Ends when nothing more is claimed. */
  rest(): Promise<void>
}

/** So many outcomes wait only when the store takes none; more would fill the memory. */
const UNWRITTEN_MAX = 4096

const AGAIN_MS_MIN = 100
const AGAIN_MS_MAX = 2000

/**
 * Gives turns as long as there are places and something to send. One round reads at a time;
 * it does not wait until the round before it is claimed and sent, since that takes a commit.
 * Claims are granted in the order they were made in, so each webhook's stay in order.
 */
export function openPump(needs: Needs): Pump {
  const { clock, lines, news, schedule } = needs
  const outdated = (webhookId: string) => lines.forget([webhookId])
  const turnNeeds = { ...needs, outbox: openOutbox(needs), outdated }
  let running: Promise<void> | null = null
  const sending = new Set<Promise<void>>()
  let isWanted = false
  let waitMs = AGAIN_MS_MIN
  let isWaiting = false

  const mayRun = () => {
    const isOpen = needs.isReady() && !needs.isStopped()
    return isOpen && !isWaiting && needs.unwritten() < UNWRITTEN_MAX
  }

  const rounds = async () => {
    while (mayRun()) {
      isWanted = false
      news.take()
      await lines.place()
      news.placed()
      const turns = pickTurns(schedule, clock.monotonicMs())
      const taken = turns.length > 0 ? await takeTurns(turnNeeds, turns) : { kind: 'none' as const }
      if (taken.kind === 'taken') watch(taken.sent)
      // Reading happens in this thread, and who reads in vain lets the others at it meanwhile.
      else if (taken.kind === 'nothing') await clock.sleep(0)
      else if (!isWanted) return
    }
  }

  const watch = (sent: Promise<void>) => {
    const done = sent.then(recover, waitForStore).finally(() => sending.delete(done))
    sending.add(done)
  }

  const recover = () => {
    waitMs = AGAIN_MS_MIN
  }

  const waitForStore = (thrown: unknown) => {
    needs.failed(thrown)
    if (isWaiting) return
    isWaiting = true
    clock.after(waitMs, () => {
      isWaiting = false
      run()
    })
    waitMs = Math.min(AGAIN_MS_MAX, waitMs * 2)
  }

  const run = () => {
    isWanted = true
    if (running || !mayRun()) return
    running = rounds()
      .catch(waitForStore)
      .finally(() => {
        running = null
        if (isWanted) run()
      })
  }

  return {
    run,
    async rest() {
      await running
      await Promise.all(sending)
    },
  }
}
