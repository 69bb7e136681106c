import { expect, test } from 'bun:test'
import { Failure } from '../../core/errors.ts'
import { moveFailure } from './move-failure.ts'

const PLACES = { folder: './data', url: 'postgres://someone:pass-word@db.example:5433/headgate' }

test.each([
  [
    new Failure('database_unavailable', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }),
    'The PostgreSQL server at db.example:5433 cannot be used (ERR_POSTGRES_CONNECTION_CLOSED). ' +
      'Run the same command again to go on.',
  ],
  [
    new Failure('database_unavailable', { code: 'SQLITE_FULL' }),
    'The store data/headgate.sqlite cannot be used (SQLITE_FULL). ' +
      'Run the same command again to go on.',
  ],
  [
    new Failure('start_failed', { reason: 'another Headgate uses the folder ./data' }),
    'The move is not done: another Headgate uses the folder ./data.',
  ],
  [
    new Failure('move_failed', { reason: 'the target is not empty' }),
    'The move is not done: the target is not empty.',
  ],
  [
    Object.assign(new Error('no'), { code: 'EACCES' }),
    'The data folder ./data cannot be used (EACCES): it must be a folder that this user can ' +
      'write to. Choose another with data or HEADGATE_DATA.',
  ],
  [new Failure('secret_unreadable'), null],
  [new TypeError('a bug of ours'), null],
])('reason %#', (thrown, text) => {
  expect(moveFailure(thrown, PLACES)).toBe(text)
})
