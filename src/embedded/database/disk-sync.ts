/** Holds back what must not be said before it is safe on the disk. */
export type DiskSync = {
  /** `say` is called once all that was written so far is on the disk, or with why it is not. */
  whenSafe(say: (fault: unknown) => void): void
  /** Ends when nothing is held back any more. */
  rest(): Promise<void>
}

/**
 * Waiting for the disk takes longer than the work it is for, so the work goes on meanwhile: one
 * sync at a time, and what is written while it lasts is made safe by the next one.
 */
export function openDiskSync(sync: () => Promise<void>): DiskSync {
  let waiting: ((fault: unknown) => void)[] = []
  let syncing: Promise<void> | null = null

  const rounds = async () => {
    while (waiting.length > 0) {
      const round = waiting
      waiting = []
      const fault = await sync().then(
        () => null,
        (thrown: unknown) => thrown,
      )
      for (const say of round) say(fault)
    }
    syncing = null
  }

  return {
    whenSafe(say) {
      waiting.push(say)
      syncing ??= rounds()
    },
    async rest() {
      while (syncing) await syncing
    },
  }
}
