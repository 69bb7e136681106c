/**
 * Systems hand out ports from 32768 (Linux) or 49152 (macOS) on to whoever asks for any: one of
 * those, once free, may be another's before the program that is told of it listens there.
 */
const FIRST_PORT = 15_000
const LAST_PORT = 32_000
const TRIES_MAX = 100

/** A port for a program that has to be told which. */
export function freePort(): number {
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT))
    if (isFree(port)) return port
  }
  throw new Error(`${TRIES_MAX} ports were all in use`)
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch {
    return false
  }
}
