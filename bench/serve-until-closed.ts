/** Tells the parent process where to find it, and ends this one when its standard input does. */
export async function serveUntilClosed(...ports: (number | string | undefined)[]): Promise<never> {
  console.log(ports.join(' '))
  for await (const _ of Bun.stdin.stream()) {
    // Nothing is expected; the end of the stream is the signal.
  }
  process.exit(0)
}
