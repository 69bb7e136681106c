export type StreamGuard = {
  /** The next bytes are being waited for. */
  waiting(): void
  /** They came. */
  arrived(): void
  /** It ended, failed or was given up. Told once. */
  ended(): void
}

/** The same stream, telling how it goes on; pulled only as fast as its reader reads. */
export function guardStream(
  stream: ReadableStream<Uint8Array>,
  guard: StreamGuard,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let told = false
  const end = () => {
    if (told) return
    told = true
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
