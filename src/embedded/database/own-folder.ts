import { Database as Connection } from 'bun:sqlite'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'

/** The files that Headgate puts into its data folder. */
const OURS =
  /^(?:headgate\.(?:sqlite|lock)|accounts-.+\.sqlite|instance-secret|first-run\.json|process-name)/
const OUR_FOLDERS = /^(?:devnet|spill|scratch-\d+)$/

const OWNER_ONLY = { file: 0o600, folder: 0o700, mask: 0o077 }

/**
 * Makes the folder ours until the function is called or this process ends, however it ends.
 * Two processes on one folder would both send every delivery.
 */
export function ownFolder(folder: string): () => void {
  // Files made from here on, by whichever library, are for the owner alone.
  process.umask(OWNER_ONLY.mask)
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder })
  const lock = new Connection(join(folder, 'headgate.lock'), { create: true })
  try {
    lock.run('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new Failure('start_failed', { reason: `another Headgate uses the folder ${folder}` })
  }
  try {
    keepPrivate(folder)
  } catch (thrown) {
    lock.close()
    throw thrown
  }
  return () => lock.close()
}

/**
 * Takes from others what an older version, a copy or a mounted volume let them read. A folder
 * that holds other people's files too stays open to them, for it may be anything.
 */
export function keepPrivate(folder: string): void {
  let isOursAlone = true
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile() && OURS.test(entry.name)) chmodSync(path, OWNER_ONLY.file)
    else if (entry.isDirectory() && OUR_FOLDERS.test(entry.name)) closeAll(path)
    else isOursAlone = false
  }
  if (isOursAlone) closeFolder(folder)
}

/** A folder that is ours, with all that is in it. */
function closeAll(folder: string): void {
  chmodSync(folder, OWNER_ONLY.folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) chmodSync(path, OWNER_ONLY.file)
    if (entry.isDirectory()) closeAll(path)
  }
}

/** One that belongs to somebody else, as a mounted one may, is left as it is. */
function closeFolder(folder: string): void {
  try {
    chmodSync(folder, OWNER_ONLY.folder)
  } catch {}
}
