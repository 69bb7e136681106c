import type { PageStep } from '../../ports/account-store.ts'
import { serveThreadCalls } from '../../ports/driver-parts/thread-calls.ts'
import { openAccountReader } from './account-store-reader.ts'
import { openAccountFile, openAccountTables } from './account-store-tables.ts'
import { openAccountWriter } from './account-store-writer.ts'

declare const self: Worker

const functions = {
  openWriter: (path: string) =>
    void Object.assign(functions, openAccountWriter(openAccountTables(path))),
  openReader: (path: string) =>
    void Object.assign(functions, openAccountReader(openAccountFile(path))),
}

serveThreadCalls(self, functions, {
  transferOf(value) {
    const pieces = (value as Partial<PageStep> | null | undefined)?.pieces ?? []
    return pieces.map(({ buffer }) => buffer as ArrayBuffer)
  },
})
