import { describe, expect, test } from 'bun:test'
import { planMove } from './plan-move.ts'

const URL_A = 'postgres://user:secret@a/headgate'
const URL_B = 'postgresql://user:secret@b/headgate'

describe('a move', () => {
  test.each([
    [{ from: './data', to: URL_A }, undefined, { folder: './data', url: URL_A, to: 'server' }],
    [{ from: URL_B, to: '/srv/data' }, URL_A, { folder: '/srv/data', url: URL_B, to: 'folder' }],
    [{ from: './data' }, URL_A, { folder: './data', url: URL_A, to: 'server' }],
    [{ to: './data' }, URL_A, { folder: './data', url: URL_A, to: 'folder' }],
  ])('%j with database %s', (said, database, planned) => {
    expect(planMove(said, database)).toEqual(planned as never)
  })

  test.each([
    [{}, URL_A, 'migrate needs --from and --to'],
    [{ from: './data' }, undefined, 'migrate needs --to, or the option database'],
    [{ to: './data' }, undefined, 'migrate needs --from, or the option database'],
    [
      { from: './a', to: './b' },
      URL_A,
      'migrate goes between a folder and a postgres:// address, which --from and --to name',
    ],
    [
      { from: URL_A, to: URL_B },
      undefined,
      'migrate goes between a folder and a postgres:// address, which --from and --to name',
    ],
    [
      { from: URL_B },
      URL_A,
      'migrate goes between a folder and a postgres:// address, which --from and --to name',
    ],
    [
      { from: './data', to: 'postgres://user:secret@:port' },
      undefined,
      '--to must be a postgres:// address with a host',
    ],
    [
      { from: 'postgres:x', to: './d' },
      undefined,
      '--from must be a postgres:// address with a host',
    ],
  ])('%j with database %s makes none', (said, database, sentence) => {
    expect(planMove(said, database)).toBe(sentence)
    expect(sentence).not.toContain('secret')
  })
})
