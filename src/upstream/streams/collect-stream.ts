/**
 * The same stream, handing over its whole text at the end when that is no longer
 * than `bytesMax`. So an answer can be cached although its first bytes were passed on
 * before its last had come.
 */
export function collectStream(
  stream: ReadableStream<Uint8Array>,
  bytesMax: number,
  collected: (text: string) => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  let chunks: Uint8Array[] = []
  let bytes = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (done) {
        if (bytes <= bytesMax) collected(Buffer.concat(chunks).toString('utf8'))
        controller.close()
        return
      }
      bytes += value.length
      if (bytes <= bytesMax) chunks.push(value)
      else chunks = []
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
