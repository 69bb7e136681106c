import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { serveThreadCalls } from '../../ports/driver-parts/thread-calls.ts'
import type { SyncFunctions } from './log-sync-thread.ts'

declare const self: Worker

let log: number | null = null

/** This thread does nothing but wait for the disk. */
const functions: SyncFunctions = {
  sync(path) {
    // It is the same file for as long as anybody has the database open.
    log ??= openSync(path, 'r+')
    fdatasyncSync(log)
  },
  close() {
    if (log !== null) closeSync(log)
    log = null
  },
}

serveThreadCalls(self, functions)
