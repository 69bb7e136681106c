/**
 * Writes to the standard output, one piece after the other. When its reader has gone away
 * (EPIPE), the rest is thrown away in silence: a broken `| head` must not stop the service.
 */
export function stdoutWriter(): (text: string | Uint8Array) => Promise<void> {
  let readerGone = false
  process.stdout.on('error', () => {
    readerGone = true
  })
  return (text) =>
    new Promise((resolve) => {
      if (readerGone) return resolve()
      process.stdout.write(text, () => resolve())
    })
}
