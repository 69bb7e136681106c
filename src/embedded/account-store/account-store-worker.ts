import type { PageStep } from '../../ports/account-store.ts'
import { serveThreadCalls } from '../thread-calls.ts'
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
    const buffer = (value as Partial<PageStep> | null | undefined)?.bytes?.buffer
    return buffer instanceof ArrayBuffer ? [buffer] : []
  },
})
