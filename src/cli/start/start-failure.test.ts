import { expect, test } from 'bun:test'
import { Failure } from '../../core/errors.ts'
import { startFailure } from './start-failure.ts'

const WANTED = { listen: { host: '127.0.0.1', port: 8080 }, data: './data' }

test.each([
  [
    'a port that another program has',
    Object.assign(new Error('Failed to start server'), { code: 'EADDRINUSE', syscall: 'listen' }),
    '127.0.0.1:8080 is in use. Stop the program that has it, or choose another address with listen or HEADGATE_LISTEN, such as HEADGATE_LISTEN=127.0.0.1:8081.',
  ],
  [
    'an address of another machine',
    Object.assign(new Error('listen'), { code: 'EADDRNOTAVAIL', syscall: 'listen' }),
    'Cannot listen on 127.0.0.1:8080 (EADDRNOTAVAIL). Choose an address of this machine with listen or HEADGATE_LISTEN.',
  ],
  [
    'a data folder of another user',
    Object.assign(new Error('mkdir'), { code: 'EACCES', syscall: 'mkdir' }),
    'The data folder ./data cannot be used (EACCES): it must be a folder that this user can write to. Choose another with data or HEADGATE_DATA.',
  ],
  [
    'a lock that cannot be made',
    new Failure('start_failed', { reason: 'no', folderCode: 'SQLITE_CANTOPEN' }),
    'The data folder ./data cannot be used (SQLITE_CANTOPEN): it must be a folder that this user can write to. Choose another with data or HEADGATE_DATA.',
  ],
  [
    'a port for root alone',
    Object.assign(new Error('listen'), { code: 'EACCES', syscall: 'listen' }),
    'Cannot listen on 127.0.0.1:8080 (EACCES). Ports below 1024 are for root alone: choose a higher one with listen or HEADGATE_LISTEN.',
  ],
  [
    'a store that is none',
    new Failure('database_unavailable', { code: 'SQLITE_NOTADB' }),
    'The store data/headgate.sqlite cannot be used (SQLITE_NOTADB): it is damaged, or is none. Put it back from a backup, or choose another folder with data or HEADGATE_DATA.',
  ],
  [
    'a store that another reason keeps shut',
    new Failure('database_unavailable', { code: 'SQLITE_BUSY' }),
    'The store data/headgate.sqlite cannot be used (SQLITE_BUSY).',
  ],
  [
    'a disk that is full, as the system says it',
    Object.assign(new Error('write'), { code: 'ENOSPC', syscall: 'write' }),
    'There is no room on the disk of the data folder ./data. Make some, or choose another folder with data or HEADGATE_DATA.',
  ],
  [
    'a disk that is full, as the store says it',
    new Failure('database_unavailable', { code: 'SQLITE_FULL' }),
    'There is no room on the disk of the data folder ./data. Make some, or choose another folder with data or HEADGATE_DATA.',
  ],
  [
    'a store of a newer version',
    new Failure('start_failed', { reason: 'newer', databaseVersion: 12, codeVersion: 11 }),
    'The store was written by a newer version of Headgate: its tables have version 12, and this program knows those up to 11. Start the newer version, or put back the backup from before it.',
  ],
  [
    'another Headgate that has not said who it is',
    new Failure('start_failed', { reason: 'in use', usedBy: 0 }),
    'Another Headgate uses the folder ./data. Stop it, or give this one a folder of its own with data or HEADGATE_DATA.',
  ],
  [
    'a chain that did not start',
    new Failure('start_failed', { part: 'development chain', exitCode: 3 }),
    'A development chain did not start: its process ended with 3. The lines above say why.',
  ],
  [
    'a reason with its facts',
    new Failure('start_failed', { reason: 'it is Monday', hour: 8 }),
    'Headgate cannot start: it is Monday (hour: 8).',
  ],
  [
    'a binary that npm left out',
    new Failure('start_failed', { notInstalled: '@nomicfoundation/edr-linux-x64-gnu@0.20.0' }),
    'Local development needs @nomicfoundation/edr-linux-x64-gnu@0.20.0, which npm leaves out on Node 20. Install it with npm install @nomicfoundation/edr-linux-x64-gnu@0.20.0, or name your own networks in a configuration file (--config).',
  ],
  [
    'an executable without the development chains',
    new Failure('start_failed', { notInstalled: 'executable' }),
    'This executable was built for production, without the development chains. Take the one that has them for local development, or name your own networks in a configuration file (--config).',
  ],
  [
    'a lean installation without the development chain',
    new Failure('start_failed', { notInstalled: '@headgate/devnet' }),
    'Local development needs @headgate/devnet, which a production installation leaves out. Install it with npm install @headgate/devnet, in a checkout with npm ci, or name your own networks in a configuration file (--config).',
  ],
  ['a bug of ours', new TypeError('x is not a function'), null],
  ['another failure', new Failure('upstream_timed_out'), null],
  ['something thrown that is no error', 'text', null],
])('%s', (_title, thrown, text) => {
  expect(startFailure(thrown, WANTED)).toBe(text)
})

test('a server that lets us not in is named by its host, without the password', () => {
  const database = 'postgres://me:hunter2@db.example:5433/headgate?sslmode=verify-full'
  const thrown = new Failure('database_unavailable', { code: '28P01' })
  expect(startFailure(thrown, { ...WANTED, database })).toBe(
    'The PostgreSQL server at db.example:5433 cannot be used (28P01).',
  )
})

test('a pooler that is taken for a server is told of', () => {
  const database = 'postgres://me:hunter2@db.example:6432/headgate'
  const thrown = new Failure('database_unavailable', { code: 'UNSUPPORTED_STARTUP_PARAMETER' })
  expect(startFailure(thrown, { ...WANTED, database })).toEndWith(
    'For a transaction pooler, set postgres.transactionPooler.',
  )
})

test('in local development, a damaged store can be left behind', () => {
  const thrown = new Failure('database_unavailable', { code: 'SQLITE_CORRUPT' })
  const text = startFailure(thrown, { ...WANTED, local: true })
  expect(text).toContain('Put it back from a backup, start anew with --fresh, or choose')
})

test('an IPv6 address is written in brackets', () => {
  const thrown = Object.assign(new Error('listen'), { code: 'EADDRINUSE', syscall: 'listen' })
  const text = startFailure(thrown, { ...WANTED, listen: { host: '::1', port: 80 } })
  expect(text).toStartWith('[::1]:80 is in use.')
})
