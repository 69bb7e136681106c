import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownFolder } from './own-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-own-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a folder has one owner at a time, and the second is told why not', () => {
  const release = ownFolder(folder)
  expect(() => ownFolder(folder)).toThrow(expect.objectContaining({ code: 'start_failed' }))
  release()
  ownFolder(folder)()
})

test('a process that is killed leaves its folder free', async () => {
  const script = `
    const { ownFolder } = await import(${JSON.stringify(join(import.meta.dir, 'own-folder.ts'))})
    ownFolder(${JSON.stringify(folder)})
    console.log('mine')
    await new Promise(() => setInterval(() => {}, 1000))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe' })
  const reader = child.stdout.getReader()
  await reader.read()
  expect(() => ownFolder(folder)).toThrow()
  child.kill('SIGKILL')
  await child.exited
  ownFolder(folder)()
})
