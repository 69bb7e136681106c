import { expect, test } from 'bun:test'
import { Failure } from '../../core/errors.ts'
import { startFailure } from './start-failure.ts'

const WANTED = { listen: { host: '127.0.0.1', port: 8080 }, data: './data' }

test.each([
  [
    'a port that another program has',
    Object.assign(new Error('Failed to start server'), { code: 'EADDRINUSE', syscall: 'listen' }),
    '127.0.0.1:8080 is in use. Stop the program that has it, or choose another address with listen or HEADGATE_LISTEN.',
  ],
  [
    'an address of another machine',
    Object.assign(new Error('listen'), { code: 'EADDRNOTAVAIL', syscall: 'listen' }),
    'Cannot listen on 127.0.0.1:8080 (EADDRNOTAVAIL). Choose an address of this machine with listen or HEADGATE_LISTEN.',
  ],
  [
    'a data folder of another user',
    Object.assign(new Error('mkdir'), { code: 'EACCES', syscall: 'mkdir' }),
    'The data folder ./data cannot be used (EACCES): it must be a folder that this user can write to.',
  ],
  [
    'a store that is none',
    new Failure('database_unavailable', { code: 'SQLITE_NOTADB' }),
    'The store data/headgate.sqlite cannot be used (SQLITE_NOTADB).',
  ],
  [
    'a store of a newer version',
    new Failure('start_failed', { reason: 'written by a newer version', codeVersion: 1 }),
    'Headgate cannot start. reason: written by a newer version, codeVersion: 1',
  ],
  [
    'a lean installation without the development chain',
    new Failure('start_failed', { notInstalled: '@headgate/devnet' }),
    'Local development needs @headgate/devnet, which a production installation leaves out. Install it with npm, or name your own networks in a configuration file (--config).',
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

test('an IPv6 address is written in brackets', () => {
  const thrown = Object.assign(new Error('listen'), { code: 'EADDRINUSE', syscall: 'listen' })
  const text = startFailure(thrown, { ...WANTED, listen: { host: '::1', port: 80 } })
  expect(text).toStartWith('[::1]:80 is in use.')
})
