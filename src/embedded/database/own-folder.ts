import { Database as Connection } from 'bun:sqlite'
import {
  chmodSync,
  type Dirent,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'

/** The files that Headgate puts into its data folder. */
const OURS =
  /^(?:headgate\.(?:sqlite|lock|pid)|accounts-.+\.sqlite|devnet-|instance-secret|first-run\.json|local-development|process-name)/
const OUR_FOLDERS = /^(?:spill|devnet|scratch-\d+)$/

/** SQLite's codes of a file that another process holds. */
const HELD = /^SQLITE_(?:BUSY|LOCKED)/

const NO_LOCK = 'the file headgate.lock cannot be used'

const OWNER_ONLY = { file: 0o600, folder: 0o700, mask: 0o077 }

/**
 * Makes the folder ours until the function is called or this process ends, however it ends.
 * Two processes on one folder would both send every delivery.
 */
export function ownFolder(folder: string): () => void {
  // Files made from here on, by whichever library, are for the owner alone.
  process.umask(OWNER_ONLY.mask)
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder })
  const lock = lockIn(folder)
  const pidFile = join(folder, 'headgate.pid')
  try {
    keepPrivate(folder)
    writeFileSync(pidFile, `${process.pid}\n`)
  } catch (thrown) {
    lock.close()
    throw thrown
  }
  return () => {
    rmSync(pidFile, { force: true })
    lock.close()
  }
}

/** The system lets go of it when this process ends, so that none is left behind. */
function lockIn(folder: string): Connection {
  let lock: Connection | null = null
  try {
    lock = new Connection(join(folder, 'headgate.lock'), { create: true })
    lock.run('BEGIN EXCLUSIVE')
    return lock
  } catch (thrown) {
    lock?.close()
    const code = String((thrown as { code?: unknown }).code)
    if (!HELD.test(code)) throw new Failure('start_failed', { reason: NO_LOCK, folderCode: code })
    throw new Failure('start_failed', {
      reason: `another Headgate uses the folder ${folder}`,
      usedBy: holderOf(folder),
    })
  }
}

/** The process that holds the folder; 0 where it has not said so yet. */
function holderOf(folder: string): number {
  try {
    return Number.parseInt(readFileSync(join(folder, 'headgate.pid'), 'utf8'), 10) || 0
  } catch {
    return 0
  }
}

/** Removes all that Headgate has put into a folder; a sentence, and nothing, if there is more. */
export function emptyFolder(folder: string): string | null {
  const entries = readdirSync(folder, { withFileTypes: true })
  const foreign = entries.find((entry) => !isOurs(entry))
  if (foreign !== undefined) return `it has ${foreign.name}, which is not Headgate’s`
  for (const { name } of entries) {
    if (name !== 'headgate.lock') rmSync(join(folder, name), { recursive: true })
  }
  return null
}

/**
 * Takes from others what an older version, a copy or a mounted volume let them read. A folder
 * that holds other people's files too stays open to them, for it may be anything.
 */
export function keepPrivate(folder: string): void {
  let isOursAlone = true
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (!isOurs(entry)) isOursAlone = false
    else if (entry.isFile()) chmodSync(path, OWNER_ONLY.file)
    else closeAll(path)
  }
  if (isOursAlone) closeFolder(folder)
}

function isOurs(entry: Dirent): boolean {
  if (entry.isFile()) return OURS.test(entry.name)
  return entry.isDirectory() && OUR_FOLDERS.test(entry.name)
}

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
