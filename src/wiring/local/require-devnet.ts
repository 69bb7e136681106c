import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure } from '../../core/errors.ts'

/** Only the build of an executable for production has it. */
declare const HEADGATE_PRODUCTION: true | undefined

const DEVNET = '@headgate/devnet'
const EDR = '@nomicfoundation/edr'

/** The C libraries that its binaries are built for; macOS has but one. */
const LIBRARIES = ['-gnu', '-musl', '']

/**
 * Throws a failure where the development chains are not installed: a production installation goes
 * without them, and so does its executable.
 */
export function requireDevnet(): void {
  if (typeof HEADGATE_PRODUCTION !== 'undefined') throw missing('executable')
  // The executable has them inside, where nothing can be resolved by name any more.
  if (Bun.isStandaloneExecutable) return
  const devnet = found(DEVNET, import.meta.dir)
  if (devnet === null) throw missing(DEVNET)
  const edr = found(EDR, dirname(devnet))
  if (edr === null) throw missing(EDR)
  requireBinary(dirname(edr))
}

/** On Node 20, npm leaves out the binary of the EVM: its package asks for a newer Node. */
function requireBinary(folder: string): void {
  const name = `${EDR}-${process.platform}-${process.arch}`
  if (LIBRARIES.some((library) => found(`${name}${library}`, folder) !== null)) return
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const library = process.platform === 'linux' ? '-gnu' : ''
  throw missing(`${name}${library}@${version}`)
}

function found(name: string, from: string): string | null {
  try {
    return Bun.resolveSync(name, from)
  } catch {
    return null
  }
}

function missing(notInstalled: string): Failure {
  return new Failure('start_failed', { notInstalled })
}
