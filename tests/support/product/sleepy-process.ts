import type { Clock } from '../../../src/ports/clock.ts'
import type { Database } from '../../../src/ports/database.ts'
import type { Egress } from '../../../src/ports/egress.ts'
import type { Signals } from '../../../src/ports/signals.ts'

type World = { clock: Clock; database: Database; egress: Egress; signals: Signals }

/** A process of its own in a world that it shares with others. */
export type SleepyProcess = World & {
  /** It stands still, as a machine does that is put to sleep; for ever, as when it has died. */
  sleep(): void
  wake(): void
}

export function sleepyProcess(world: World): SleepyProcess {
  const { clock, database, egress, signals } = world
  let asleep: Promise<void> | null = null
  let wake = () => {}
  const awake = async <T>(answer: Promise<T>): Promise<T> => {
    const told = await answer
    await asleep
    return told
  }
  const later = (work: () => void) => () => {
    if (asleep) void asleep.then(work)
    else work()
  }
  return {
    clock: {
      ...clock,
      nowMs: () => clock.nowMs(),
      after: (delayMs, work) => clock.after(delayMs, later(work)),
      every: (periodMs, work) => clock.every(periodMs, later(work)),
      sleep: (delayMs) => awake(clock.sleep(delayMs)),
    },
    database: {
      query: (statement) => awake(database.query(statement)),
      each: (statement, rows) => awake(database.each(statement, rows)),
      transaction: (work) => awake(database.transaction(work)),
      perform: (procedure, args) => awake(database.perform(procedure, args)),
      close: () => database.close(),
    },
    egress: { ...egress, post: (request) => awake(egress.post(request)) },
    signals: {
      ...signals,
      publish: (topic, text) => signals.publish(topic, text),
      subscribe: (topic, hear) => signals.subscribe(topic, (text) => later(() => hear(text))()),
    },
    sleep() {
      asleep = new Promise((resolve) => {
        wake = resolve
      })
    },
    wake() {
      asleep = null
      wake()
    },
  }
}
