import { Database as Connection } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../core/errors.ts'

/**
 * Makes the folder ours until the function is called or this process ends, however it ends.
 * Two processes on one folder would both send every delivery.
 */
export function ownFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = new Connection(join(folder, 'headgate.lock'), { create: true })
  try {
    lock.run('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    throw new Failure('start_failed', { reason: `another Headgate uses the folder ${folder}` })
  }
  return () => lock.close()
}
