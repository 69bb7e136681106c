import { describe, expect, test } from 'bun:test'
import { Failure } from '../../core/errors.ts'
import { migrationFailure, readPlaces } from './migrate-store.ts'

const URL_A = 'postgres://someone:pass-word@db.example:5433/headgate'

describe('the places of a migration', () => {
  const oneWay =
    'migrate copies a data folder (--from) to a postgres:// address (--to). To go back to a ' +
    'folder, restore your backup of it'

  test('are a data folder and an address', () => {
    expect(readPlaces('./data', URL_A)).toEqual({ folder: './data', url: URL_A })
  })

  test.each([
    [undefined, URL_A, 'migrate needs --from, a data folder'],
    ['./data', undefined, 'migrate needs --to, or the option database'],
    ['./a', './b', oneWay],
    [URL_A, './data', oneWay],
    [URL_A, URL_A, oneWay],
    ['./data', 'postgres://user:secret@:port', '--to must be a postgres:// address with a host'],
  ])('%s and %s are refused', (from, to, sentence) => {
    expect(readPlaces(from, to)).toBe(sentence)
  })
})

test.each([
  [
    new Failure('database_unavailable', { code: 'ERR_POSTGRES_CONNECTION_CLOSED' }),
    'The PostgreSQL server at db.example:5433 cannot be used (ERR_POSTGRES_CONNECTION_CLOSED). ' +
      'Run the same command again to start over.',
  ],
  [
    new Failure('database_unavailable', { code: 'SQLITE_FULL' }),
    'The store data/headgate.sqlite cannot be used (SQLITE_FULL). ' +
      'Run the same command again to start over.',
  ],
  [
    new Failure('start_failed', { reason: 'another Headgate uses the folder ./data' }),
    'The migration failed: another Headgate uses the folder ./data.',
  ],
  [
    new Failure('migration_failed', { reason: 'the target is not empty' }),
    'The migration failed: the target is not empty.',
  ],
  [
    Object.assign(new Error('no'), { code: 'EACCES' }),
    'The data folder ./data cannot be used (EACCES): it must be a folder that this user can ' +
      'write to. Choose another with data or HEADGATE_DATA.',
  ],
  [new Failure('secret_unreadable'), null],
  [new TypeError('a bug of ours'), null],
])('reason %#', (thrown, text) => {
  expect(migrationFailure(thrown, { folder: './data', url: URL_A })).toBe(text)
})
