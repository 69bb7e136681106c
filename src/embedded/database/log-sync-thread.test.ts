import { afterEach, beforeEach, expect, test } from 'bun:test'
import { constants } from 'node:fs'
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from '../../ports/database.ts'
import { startLogSyncThread } from './log-sync-thread.ts'
import { openSqliteFile } from './sqlite-database.ts'

/** More than any machine's pool of threads has. */
const HELD_THREADS = 256

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-sync-'))
})

afterEach(() => rm(folder, { recursive: true }))

test('a file is synced again and again, and let go of in the end', async () => {
  const path = join(folder, 'log')
  await writeFile(path, 'x')
  const thread = startLogSyncThread(path)
  for (let round = 0; round < 10; round++) await thread.sync()
  await thread.close()
  expect(thread.sync()).rejects.toThrow('ended')
})

test('what the disk refuses is told, and tried anew the next time', async () => {
  const path = join(folder, 'log')
  const thread = startLogSyncThread(path)
  expect(thread.sync()).rejects.toThrow('ENOENT')
  await writeFile(path, 'x')
  await thread.sync()
  await thread.close()
})

test('a commit comes through while everything else in the runtime’s threads hangs', async () => {
  const database = await openSqliteFile(join(folder, 'store.db'))
  await database.query(sql`CREATE TABLE notes (id BIGINT PRIMARY KEY)`)
  const pipe = join(folder, 'pipe')
  await Bun.spawn(['mkfifo', pipe]).exited
  // To open a pipe takes as long as nobody opens its other end.
  let opened = 0
  const readers = Array.from({ length: HELD_THREADS }, async () => {
    const reader = await open(pipe, constants.O_RDONLY)
    opened += 1
    return reader
  })

  await database.query(sql`INSERT INTO notes (id) VALUES (1)`)
  expect(opened).toBe(0)
  expect(await database.query(sql`SELECT id FROM notes`)).toEqual([{ id: 1 }])

  await letGo(pipe, readers)
  await database.close()
})

/** From another process, since here there is no thread left to open it with. */
async function letGo(pipe: string, readers: Promise<FileHandle>[]): Promise<void> {
  const writer = Bun.spawn(['sh', '-c', 'exec 3<>"$0"; cat', pipe], { stdin: 'pipe' })
  for (const reader of await Promise.all(readers)) await reader.close()
  writer.stdin.end()
  await writer.exited
}
