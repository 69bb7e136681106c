/** The bytes that a reader was sent already. */
type Sent = { bytes: number; sha256: string }

/**
 * Goes on where a reader stood, with another answer to the same call. That must begin with the
 * very bytes the reader was sent, so that all it gets is one whole answer; else the stream fails.
 */
export function resumeStream(
  answer: Promise<ReadableStream<Uint8Array>>,
  sent: Sent,
): ReadableStream<Uint8Array> {
  const opened = answer.then((stream) => stream.getReader())
  // Its reader hears of it when it reads on, if it ever does.
  opened.catch(() => {})
  const hasher = new Bun.CryptoHasher('sha256')
  let toSkip = sent.bytes

  /** The rest of a chunk behind what was sent. */
  const skip = (bytes: Uint8Array): Uint8Array => {
    if (toSkip === 0) return bytes
    const known = bytes.subarray(0, toSkip)
    hasher.update(known)
    toSkip -= known.length
    if (toSkip === 0 && hasher.digest('hex') !== sent.sha256) throw otherAnswer()
    return bytes.subarray(known.length)
  }

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const reader = await opened
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done && toSkip > 0) throw otherAnswer()
        if (done || !value) return controller.close()
        const rest = skip(value)
        if (rest.length > 0) return controller.enqueue(rest)
      }
    } catch (thrown) {
      reader.cancel().catch(() => {})
      throw thrown
    }
  }
  const cancel = () => opened.then((reader) => reader.cancel()).catch(() => {})
  return new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 })
}

function otherAnswer(): Error {
  return new Error('the answer changed while it was read')
}
