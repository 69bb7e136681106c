import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getServers, setServers } from 'node:dns'
import { open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import {
  type NameServer,
  type Said,
  startNameServer,
} from '../../../tests/support/nodes/name-server.ts'
import { askNameServers } from './name-servers.ts'

const V4 = '93.184.215.14'
const V6 = '2606:4700:4700:0:0:0:0:1111'

const SAID: Record<string, Said> = {
  'both.test': { v4: [V4, '1.1.1.1'], v6: [V6] },
  'six.test': { v6: [V6] },
  'alias.test': { alias: 'target.test', v4: [V4] },
  'empty.test': {},
}

const before = getServers()
let server: NameServer

beforeAll(async () => {
  server = await startNameServer((name) =>
    name.startsWith('silent') ? 'silence' : (SAID[name] ?? 'nothing'),
  )
  // It is the process that has name servers: all other names of these tests are of this machine.
  setServers([server.address])
})

afterAll(async () => {
  setServers(before)
  await server.stop()
})

const resolve = askNameServers(testClock())

test('a name has the addresses of both families', async () => {
  expect((await resolve('both.test')).toSorted()).toEqual(
    ['1.1.1.1', '2606:4700:4700::1111', V4].toSorted(),
  )
  expect(await resolve('six.test')).toEqual(['2606:4700:4700::1111'])
})

test('a name may be another one’s alias', async () => {
  expect(await resolve('alias.test')).toEqual([V4])
})

test.each(['nosuch.test', 'empty.test'])('%s has none', async (name) => {
  const found = await resolve(name).catch(() => [])
  expect(found).toEqual([])
})

test('names of the hosts file are found there', async () => {
  server.asked.length = 0
  expect(await resolve('localhost')).toContain('127.0.0.1')
  expect(server.asked).toEqual([])
})

test('a machine that gets other name servers asks those', async () => {
  const clock = testClock()
  let configured = ['127.0.0.1:1']
  const asks = askNameServers(clock, () => configured)
  setServers(configured)
  await expect(asks('both.test')).rejects.toThrow()
  configured = [server.address]
  await clock.advance(30_000)
  expect(await asks('both.test')).toContain(V4)
  // None at all is no better than those of before.
  configured = []
  await clock.advance(30_000)
  expect(await asks('both.test')).toContain(V4)
})

test('a hundred names that never answer hold up neither another name nor a file', async () => {
  let ended = 0
  const silent = Array.from({ length: 100 }, (_, at) => resolve(`silent${at}.test`))
  for (const one of silent) one.catch(() => {}).finally(() => ended++)
  const path = join(tmpdir(), `headgate-${process.pid}-names`)
  const file = await open(path, 'w')
  await file.write('x')
  await file.datasync()
  await file.close()
  await rm(path)
  expect(await resolve('both.test')).toContain(V4)
  expect(ended).toBe(0)
})
