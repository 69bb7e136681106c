import { coalesced } from '../../core/async/coalesced.ts'

/** Holds back what must not be told before it is safe on the disk. */
export type DiskSync = {
  /** `tell` is called once all that was written so far is on the disk, or with why it is not. */
  whenSafe(tell: (fault: unknown) => void): void
  /** Ends when nothing is held back any more. */
  rest(): Promise<void>
}

/**
 * Waiting for the disk takes longer than the work it is for, so the work goes on meanwhile: one
 * sync at a time, and what is written while it lasts is made safe by the next one.
 */
export function openDiskSync(sync: () => Promise<void>): DiskSync {
  let waiting: ((fault: unknown) => void)[] = []

  const round = async () => {
    const told = waiting
    waiting = []
    const fault = await sync().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    for (const tell of told) tell(fault)
  }
  const rounds = coalesced(round, (bug) => {
    throw bug
  })

  return {
    whenSafe(tell) {
      waiting.push(tell)
      rounds.ask()
    },
    rest: rounds.idle,
  }
}
