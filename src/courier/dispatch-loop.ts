import { openBackoff } from '../core/async/backoff.ts'
import { allocateSlots } from './schedule/allocate-slots.ts'
import { serveGrant } from './schedule/serve-grant.ts'
import type { DeliverySending } from './send/start-attempt.ts'

type Options = Omit<DeliverySending, 'freed'> & {
  /** Outcomes that are not committed yet. */
  unwritten(): number
  isStopped(): boolean
  failed(thrown: unknown): void
}

/** This many outcomes wait only when the store takes none; more would fill the memory. */
const UNWRITTEN_MAX = 4096

/** Attempts that start in one go; then this thread does its other work. */
const SLICE = 32

/** After a failure of the store nothing is asked of it for a while. */
const AGAIN = { minMs: 100, maxMs: 2000 }

export function openDispatchLoop(given: Options) {
  const { schedule, webhookSettings, isStopped } = given
  const { clock } = given.world
  const store = openStoreCalls(given, () => run())
  let isRunning = false
  let isRunDue = false
  let drained = () => {}

  const run = () => {
    if (isRunning || store.isPaused() || isStopped()) return
    if (webhookSettings.isReadDue()) store.watch(webhookSettings.read())
    if (schedule.ready.size === 0 || given.unwritten() >= UNWRITTEN_MAX) return
    if (!given.maySend()) return
    isRunning = true
    try {
      runSlice()
    } finally {
      isRunning = false
    }
  }
  const freed = () => {
    if (schedule.slots === 0) drained()
    runSoon()
  }
  const sending: DeliverySending = { ...given, freed }

  const runSlice = () => {
    let left = SLICE
    while (left > 0) {
      const isReady = schedule.ready.size > 0
      const grants = isReady ? allocateSlots(schedule, clock.monotonicMs(), left) : []
      if (grants.length === 0) return
      for (const grant of grants) {
        left -= grant.slots
        const asked = serveGrant(sending, grant)
        if (asked) store.watch(asked)
      }
    }
    runSoon()
  }

  /**
   * Hot path: not for each answer, but once for all that are there. So no more is under way to
   * fast hosts than this thread can keep up with, and that stays in the processor's caches.
   */
  const runSoon = () => {
    if (isRunDue) return
    isRunDue = true
    clock.after(0, () => {
      isRunDue = false
      run()
    })
  }

  return {
    run,
    /** Ends when nothing is asked of the store any more, and nothing is in flight. */
    async rest() {
      await store.idle()
      const isDrained = new Promise<void>((resolve) => {
        drained = resolve
      })
      if (schedule.slots > 0) await isDrained
    },
  }
}

/** Watches what is asked of the store, and pauses after each failure, longer and longer. */
function openStoreCalls({ world: { clock }, failed }: Options, goOn: () => void) {
  const backoff = openBackoff(AGAIN)
  const asking = new Set<Promise<void>>()
  let isPaused = false

  const pause = (thrown: unknown) => {
    failed(thrown)
    if (isPaused) return
    isPaused = true
    clock.after(backoff.nextMs(), () => {
      isPaused = false
      goOn()
    })
  }

  return {
    isPaused: () => isPaused,
    watch(asked: Promise<void>) {
      const done = asked.then(backoff.reset, pause).then(() => {
        asking.delete(done)
        goOn()
      })
      asking.add(done)
    },
    async idle() {
      while (asking.size > 0) await Promise.all(asking)
    },
  }
}
