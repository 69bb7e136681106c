import { writeSync } from 'node:fs'

const STDERR = 2

export function complain(text: string, exitCode: number): never {
  // The runtime's console would paint it all red, whether or not colours are wanted.
  writeSync(STDERR, `${text}\n`)
  process.exit(exitCode)
}
