import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSpillFiles } from './spill-files.ts'

let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'headgate-spill-'))
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

test('what was appended is read back from anywhere', async () => {
  const file = await openSpillFiles(join(home, 'a')).create()
  await file.append(Uint8Array.of(1, 2, 3))
  await file.append(new Uint8Array(0))
  await file.append(Uint8Array.of(4, 5))
  const into = new Uint8Array(3)
  await file.read(1, into)
  expect([...into]).toEqual([2, 3, 4])
  await file.remove()
})

test('nobody but the owner can read the folder and its files', async () => {
  const folder = join(home, 'b')
  const file = await openSpillFiles(folder).create()
  const [name = ''] = readdirSync(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  await file.remove()
  expect(readdirSync(folder)).toEqual([])
})

test('what a killed process left behind is gone before the first file, and nothing else', async () => {
  const folder = join(home, 'c')
  await openSpillFiles(folder).create()
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  const files = openSpillFiles(folder)
  const file = await files.create()
  await file.append(Uint8Array.of(9))
  expect(readdirSync(folder).sort()).toEqual(['notes.txt', 'spill-1'])
  expect(statSync(join(folder, 'spill-1')).size).toBe(1)
  await files.clear()
  expect(readdirSync(folder)).toEqual(['notes.txt'])
})

test('a folder is made only when something is written', async () => {
  const folder = join(home, 'd')
  openSpillFiles(folder)
  expect(existsSync(folder)).toBe(false)
})

test('reading past the end is a fault, not zeros', async () => {
  const file = await openSpillFiles(join(home, 'e')).create()
  await file.append(Uint8Array.of(1))
  const fault = await file.read(0, new Uint8Array(2)).catch((thrown: Error) => thrown.message)
  expect(fault).toBe('the file is shorter than what was written')
  await file.remove()
})

test('a file that is removed while it is read ends its readers first, and reads no more', async () => {
  const files = openSpillFiles(join(home, 'f'))
  const file = await files.create()
  await file.append(new Uint8Array(1_000_000).fill(7))
  const into = new Uint8Array(1_000_000)
  const reading = file.read(0, into)
  const removing = file.remove()
  const other = await files.create()
  await other.append(new Uint8Array(1_000_000).fill(9))
  await Promise.all([reading, removing])
  expect(into.every((byte) => byte === 7)).toBe(true)
  const late = await file.read(0, into).catch((thrown: Error) => thrown.message)
  expect(late).toBe('the file was removed')
  await file.remove()
  await other.remove()
})
