import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'
import { keepPrivate, ownFolder } from '../../embedded/database/own-folder.ts'
import type { Entropy } from '../../ports/entropy.ts'

export type Scratch = {
  folder: string
  /** The name of the process that has the folder, the same after a restart. */
  name: string
  release(): void
}

/** Processes of one machine may have the same `data`: each uses a folder of its own in it. */
const FOLDERS_MAX = 256

const NAME_LENGTH = 16

/** The first folder in `data` that no other process has. */
export function ownScratch(data: string, entropy: Entropy): Scratch {
  mkdirSync(data, { recursive: true, mode: 0o700 })
  for (let number = 0; number < FOLDERS_MAX; number++) {
    const folder = join(data, `scratch-${number}`)
    try {
      const release = ownFolder(folder)
      const name = nameIn(folder, entropy)
      keepPrivate(data)
      return { folder, name, release }
    } catch (thrown) {
      // Only a folder that another process has leads on to the next.
      if (!(thrown instanceof Failure) || thrown.facts.usedBy === undefined) throw thrown
    }
  }
  throw new Failure('start_failed', { reason: `${data} is used by too many processes` })
}

/**
 * A process that comes back has its leases at once. A folder that was copied to another machine
 * gets another name there: two of one name would take the leases from each other.
 */
function nameIn(folder: string, entropy: Entropy): string {
  const file = join(folder, 'process-name')
  const host = hostname()
  const [known, where] = read(file).split('\n')
  if (known && where === host) return known
  const name = `process_${entropy.alphanumeric(NAME_LENGTH)}`
  writeFileSync(file, `${name}\n${host}\n`)
  return name
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
