import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshStore } from '../../tests/fresh-store.ts'
import { testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import type { Database } from '../ports/database.ts'
import { openSecrets } from '../system/machine/secrets.ts'
import { systemEntropy } from '../system/machine/system-entropy.ts'
import { firstRun } from './first-run.ts'

const URL_NOW = 'http://localhost:8080'

let database: Database
let folder: string
let file: string

beforeEach(async () => {
  database = await freshStore()
  folder = mkdtempSync(join(tmpdir(), 'headgate-first-'))
  file = join(folder, 'first-run.json')
})

afterEach(async () => {
  await database.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the file names the address of the last start, whole and for its owner alone', async () => {
  const made = await run(URL_NOW)
  writeFileSync(file, readFileSync(file), { mode: 0o644 })
  const moved = await run('https://gate.example')
  expect(moved).toEqual({ ...made!, url: 'https://gate.example' })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(moved!)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['first-run.json'])
})

test('a file that is true is not written again', async () => {
  await run(URL_NOW)
  const { ino } = statSync(file)
  await run(URL_NOW)
  expect(statSync(file).ino).toBe(ino)
})

test('a file that was deleted is not made again', async () => {
  await run(URL_NOW)
  rmSync(file)
  expect(await run(URL_NOW)).toBeNull()
  expect(existsSync(file)).toBe(false)
})

test.each(['', 'null', '[]', '{"url":1}', '{"app_key":7}', '\0'])(
  'a file that says %p is left alone',
  async (text) => {
    await run(URL_NOW)
    writeFileSync(file, text)
    expect(await run('https://gate.example')).toBeNull()
    expect(readFileSync(file, 'utf8')).toBe(text)
  },
)

function run(url: string) {
  const entropy = systemEntropy()
  const secrets = openSecrets(new Uint8Array(32), entropy)
  const given = { folder, url, networkIds: ['ETH'], operatorToken: undefined }
  return firstRun(testWorld({ clock: testClock(), database, entropy, secrets }), 'embedded', given)
}
