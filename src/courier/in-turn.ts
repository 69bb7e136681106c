/** Work that is done one at a time: asked for while it is done, it is done once more. */
export type InTurn = {
  ask(): void
  /** Ends when what is being done is done. */
  rest(): Promise<void>
}

export function inTurn(work: () => Promise<void>, failed: (thrown: unknown) => void): InTurn {
  let running: Promise<void> | null = null
  let isWanted = false

  const run = async () => {
    while (isWanted) {
      isWanted = false
      await work().catch(failed)
    }
    running = null
  }
  return {
    ask() {
      isWanted = true
      running ??= run()
    },
    async rest() {
      await running
    },
  }
}
