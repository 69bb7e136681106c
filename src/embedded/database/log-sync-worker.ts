import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { errorText } from '../../core/errors.ts'
import type { SyncAnswer, SyncOrder } from './log-sync-thread.ts'

declare const self: Worker

let log: number | null = null

/** This thread does nothing but wait for the disk. */
self.onmessage = ({ data: order }: MessageEvent<SyncOrder>) => {
  let answer: SyncAnswer = null
  try {
    if (order.kind === 'sync') sync(order.path)
    else close()
  } catch (thrown) {
    answer = errorText(thrown)
  }
  self.postMessage(answer)
}

function sync(path: string): void {
  // It is the same file for as long as anybody has the database open.
  log ??= openSync(path, 'r+')
  fdatasyncSync(log)
}

function close(): void {
  if (log !== null) closeSync(log)
  log = null
}
