import { writeSync } from 'node:fs'
import { EXIT_CODES, type ExitReason } from '../exit-codes.ts'

const STDERR = 2

export function complain(text: string, reason: ExitReason): never {
  // The runtime's console would paint it all red, whether or not colours are wanted.
  writeSync(STDERR, `${text}\n`)
  process.exit(EXIT_CODES[reason])
}
