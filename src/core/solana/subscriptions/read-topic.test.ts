import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { isSolanaError } from '../solana-error.ts'
import { readTopic } from './read-topic.ts'

const KEY = 'SysvarC1ock11111111111111111111111111111111'
const SIGNATURE = `${'1'.repeat(63)}2`

const read = (method: string, ...params: unknown[]) => readTopic(method, JSON.stringify(params))

/** The params that a node is asked with. */
function asked(method: string, ...params: unknown[]): string {
  const topic = read(method, ...params)
  if (topic === null || isSolanaError(topic)) throw new Error(topic?.message ?? 'no such method')
  return topic.paramsText
}

describe('a call that subscribes', () => {
  test.each([
    ['slotSubscribe', [], '[]'],
    ['rootSubscribe', [], '[]'],
    ['accountSubscribe', [KEY], `["${KEY}",{"encoding":"binary","commitment":"finalized"}]`],
    ['logsSubscribe', ['all'], '["all",{"commitment":"finalized"}]'],
    ['signatureSubscribe', [SIGNATURE], `["${SIGNATURE}",{"commitment":"finalized"}]`],
  ])('%s has the defaults of a node', (method, params, text) => {
    expect(asked(method, ...params)).toBe(text)
  })

  test.each([
    ['accountSubscribe', [KEY], [KEY, null]],
    ['accountSubscribe', [KEY], [KEY, { commitment: 'finalized', minContextSlot: 5 }]],
    [
      'accountSubscribe',
      [KEY, { encoding: 'base64', commitment: 'recent' }],
      [KEY, { commitment: 'processed', dataSlice: { offset: 1, length: 2 }, encoding: 'base64' }],
    ],
    ['accountSubscribe', [KEY, { encoding: 'json' }], [KEY, { encoding: 'base64' }]],
    ['programSubscribe', [KEY], [KEY, { filters: [], withContext: true }]],
    [
      'programSubscribe',
      [KEY, { filters: [{ memcmp: { offset: 0, bytes: '2' } }] }],
      [KEY, { filters: [{ memcmp: { offset: 0, bytes: 'AQ==', encoding: 'base64' } }] }],
    ],
    ['logsSubscribe', ['all'], [{ all: null }, {}]],
    ['signatureSubscribe', [SIGNATURE], [SIGNATURE, { enableReceivedNotification: false }]],
  ])('%s of %j means the same as %j', (method, params, others) => {
    expect(asked(method, ...params)).toBe(asked(method, ...others))
  })

  test.each([
    ['accountSubscribe', [KEY], [KEY, { encoding: 'base64' }]],
    ['accountSubscribe', [KEY], [KEY, { commitment: 'confirmed' }]],
    ['logsSubscribe', ['all'], ['allWithVotes']],
    ['logsSubscribe', ['all'], [{ mentions: [KEY] }]],
    ['signatureSubscribe', [SIGNATURE], [SIGNATURE, { enableReceivedNotification: true }]],
  ])('%s of %j means something else than %j', (method, params, others) => {
    expect(asked(method, ...params)).not.toBe(asked(method, ...others))
  })

  test('a number of 64 bits keeps its digits', () => {
    const text = `["${KEY}",{"filters":[{"dataSize":18446744073709551615}]}]`
    expect(readTopic('programSubscribe', text)).toHaveProperty('paramsText')
  })

  test.each([
    ['blockSubscribe', ['all']],
    ['voteSubscribe', []],
    ['toString', []],
    ['__proto__', []],
    ['slotUnsubscribe', [1]],
  ])('%s is none', (method, params) => {
    expect(read(method, ...params)).toBeNull()
  })
})

describe('a call that is wrong is refused in the words of a node', () => {
  test.each([
    ['accountSubscribe', [], '`params` should have at least 1 argument(s)'],
    ['accountSubscribe', [KEY, {}, 1], 'Invalid parameters: Expected from 1 to 2 parameters.'],
    ['slotSubscribe', [1], 'No parameters were expected'],
    ['accountSubscribe', [5], 'Invalid params: invalid type: integer `5`, expected a string.'],
    ['accountSubscribe', ['0O'], 'Invalid Request: Invalid pubkey provided'],
    ['accountSubscribe', ['11'], 'Invalid Request: Invalid pubkey provided'],
    ['accountSubscribe', ['1'.repeat(10_000)], 'Invalid Request: Invalid pubkey provided'],
    ['programSubscribe', ['11'], 'Invalid Request: Invalid pubkey provided'],
    ['signatureSubscribe', [KEY], 'Invalid Request: Invalid signature provided'],
    ['signatureSubscribe', ['1'.repeat(5_000)], 'Invalid Request: Invalid signature provided'],
    ['accountSubscribe', [KEY, []], 'expected struct RpcAccountInfoConfig.'],
    ['logsSubscribe', ['all', 'confirmed'], 'expected struct RpcTransactionLogsConfig.'],
    ['accountSubscribe', [KEY, { encoding: 'hex' }], 'unknown variant `hex`'],
    ['accountSubscribe', [KEY, { commitment: 'sure' }], 'commitment: unknown variant `sure`'],
    ['accountSubscribe', [KEY, { commitment: 5 }], 'commitment: invalid type'],
    ['programSubscribe', [KEY, { filters: [1, 2, 3, 4, 5] }], 'Invalid params'],
    [
      'programSubscribe',
      [KEY, { filters: Array(5).fill({ dataSize: 1 }) }],
      'Too many filters provided; max 4',
    ],
    [
      'logsSubscribe',
      ['some'],
      'unknown variant `some`, expected one of `all`, `allWithVotes`, `mentions`',
    ],
    ['logsSubscribe', [{ mentions: KEY }], 'mentions: invalid type'],
    ['logsSubscribe', ['mentions'], 'mentions: invalid type'],
    ['logsSubscribe', [{ mentions: [] }], 'Invalid Request: Only 1 address supported'],
    ['logsSubscribe', [{ mentions: [KEY, KEY] }], 'Invalid Request: Only 1 address supported'],
    ['logsSubscribe', [{ mentions: ['x'] }], 'Invalid Request: Invalid mentions provided'],
    ['signatureSubscribe', [SIGNATURE, { enableReceivedNotification: 1 }], 'expected a boolean'],
  ])('%s %j', (method, params, words) => {
    const error = read(method, ...params)
    if (!isSolanaError(error)) throw new Error('it was taken')
    expect(error.code).toBe(-32602)
    expect(error.message).toContain(words)
  })

  test('and whatever else comes, it is read or refused', () => {
    const chance = seededChance(7)
    const values = [
      KEY,
      SIGNATURE,
      'all',
      { mentions: [KEY] },
      null,
      5,
      -1,
      1e300,
      [],
      {},
      '',
      { encoding: [] },
      { commitment: {} },
      { filters: [{}] },
      { filters: [{ memcmp: null }] },
      { dataSlice: [1] },
      true,
    ]
    const methods = ['account', 'program', 'logs', 'signature', 'slot', 'root']
    for (let round = 0; round < 2_000; round++) {
      const params = Array.from({ length: chance.between(0, 3) }, () => chance.pick(values))
      const topic = read(`${chance.pick(methods)}Subscribe`, ...params)
      if (topic === null) throw new Error('a method that is known')
      if (!isSolanaError(topic)) JSON.parse(topic.paramsText)
    }
  })
})
