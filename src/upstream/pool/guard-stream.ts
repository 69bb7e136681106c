export type StreamGuard = {
  waiting(): void
  arrived(): void
  /** The stream ended, failed or was given up. Called once. */
  ended(): void
}

/** The same stream, watched by a guard; pulled only as fast as its reader reads. */
export function guardStream(
  stream: ReadableStream<Uint8Array>,
  guard: StreamGuard,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    guard.arrived()
    guard.ended()
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      guard.waiting()
      try {
        const { done, value } = await reader.read()
        guard.arrived()
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      } catch (thrown) {
        end()
        controller.error(thrown)
      }
    },
    cancel(reason) {
      end()
      return reader.cancel(reason)
    },
  })
}
