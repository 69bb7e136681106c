import { describe, expect, test } from 'bun:test'
import { encodeBase58 } from '../base58.ts'
import { isSolanaError } from '../solana-error.ts'
import { type ProgramAccountsCall, readProgramAccountsCall } from './program-accounts.ts'

const PROGRAM = 'Stake11111111111111111111111111111111111111'
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const RULES = { defaultEncoding: 'json', pageLimit: 10_000 } as const
const KEY = encodeBase58(new Uint8Array(32).fill(7))
const HALF_KEY = encodeBase58(new Uint8Array(16).fill(7))

describe('the validation table of a node, its filters', () => {
  const kinds = '`dataSize`, `memcmp`, `tokenAccountState`'
  const noData = bad('data did not match any variant of untagged enum DataType')
  test.each([
    ['{"foo":1}', bad(`unknown variant \`foo\`, expected one of ${kinds}`)],
    ['{"__proto__":1}', bad(`unknown variant \`__proto__\`, expected one of ${kinds}`)],
    ['{}', bad('invalid value: map, expected map with a single key')],
    ['{"dataSize":1,"memcmp":{}}', bad('invalid value: map, expected map with a single key')],
    ['null', bad('invalid type: null, expected string or map')],
    ['7', bad('invalid type: integer `7`, expected string or map')],
    ['"dataSize"', bad('invalid type: unit variant, expected newtype variant')],
    ['{"dataSize":null}', bad('invalid type: null, expected u64')],
    ['{"dataSize":-5}', bad('invalid value: integer `-5`, expected u64')],
    ['{"dataSize":165.0}', bad('invalid type: floating point `165.0`, expected u64')],
    ['{"tokenAccountState":{}}', bad('invalid type: map, expected unit')],
    ['{"memcmp":[0,"a"]}', bad('invalid type: sequence, expected struct Memcmp')],
    ['{"memcmp":{"offset":0}}', bad('missing field `bytes`')],
    ['{"memcmp":{"bytes":"a"}}', bad('missing field `offset`')],
    ['{"memcmp":{"offset":null,"bytes":"a"}}', bad('invalid type: null, expected usize')],
    ['{"memcmp":{"offset":0,"bytes":null}}', noData],
    ['{"memcmp":{"offset":0,"bytes":5}}', noData],
    ['{"memcmp":{"offset":0,"bytes":[256]}}', noData],
    ['{"memcmp":{"offset":0,"bytes":[-1]}}', noData],
    ['{"memcmp":{"offset":0,"bytes":[1.0]}}', noData],
    ['{"memcmp":{"offset":0,"bytes":[1e1]}}', noData],
    ['{"memcmp":{"offset":0,"bytes":[[1]]}}', noData],
    ['{"memcmp":{"offset":0,"bytes":["1"]}}', noData],
    [
      '{"memcmp":{"offset":0,"bytes":"a","encoding":"hex"}}',
      bad('unknown variant `hex`, expected one of `base58`, `base64`, `bytes`'),
    ],
    [
      '{"memcmp":{"offset":0,"bytes":"a","encoding":"binary"}}',
      bad('unknown variant `binary`, expected one of `base58`, `base64`, `bytes`'),
    ],
  ])('filter %s', (filter, message) => {
    expect(refusedConfig(`"filters":[${filter}]`)).toBe(message)
  })

  test('filters that are no list', () => {
    expect(refusedConfig('"filters":{}')).toBe(bad('invalid type: map, expected a sequence'))
  })

  test('four filters are allowed, five are not', () => {
    const filters = (count: number) => `"filters":[${Array(count).fill('{"dataSize":1}').join()}]`
    expect(config(filters(4)).filters).toHaveLength(4)
    expect(refusedConfig(filters(5))).toBe('Too many filters provided; max 4')
  })

  test.each([
    ['owner', TOKEN, 32],
    ['mint', TOKEN, 0],
    ['owner', TOKEN_2022, 32],
    ['mint', TOKEN_2022, 0],
  ])('half an %s on %s', (name, program, offset) => {
    const filter = `{"memcmp":{"offset":${offset},"bytes":"${HALF_KEY}"}}`
    expect(refused(`["${program}",{"filters":[${filter}]}]`).message).toBe(
      `Incorrect byte length 16 for SPL token ${name} filter, expected 32`,
    )
    expect(isSolanaError(read(`["${PROGRAM}",{"filters":[${filter}]}]`))).toBe(false)
  })

  test('a node that goes by owner does not look at the mint', () => {
    const owner = `{"memcmp":{"offset":32,"bytes":"${KEY}"}}`
    const mint = `{"memcmp":{"offset":0,"bytes":"${HALF_KEY}"}}`
    expect(refused(`["${TOKEN}",{"filters":[${owner},${mint}]}]`).message).toContain('mint')
    const byOwner = read(`["${TOKEN}",{"filters":[${owner},${mint},{"dataSize":165}]}]`)
    expect(isSolanaError(byOwner)).toBe(false)
  })
})

function read(params: string): ReturnType<typeof readProgramAccountsCall> {
  return readProgramAccountsCall(params, RULES)
}

function call(params: string): ProgramAccountsCall {
  const outcome = read(params)
  if (isSolanaError(outcome)) throw new Error(outcome.message)
  return outcome
}

function config(members: string): ProgramAccountsCall {
  return call(`["${PROGRAM}",{${members}}]`)
}

function refused(params: string) {
  const outcome = read(params)
  if (!isSolanaError(outcome)) throw new Error(`not refused: ${params.slice(0, 200)}`)
  return outcome
}

function refusedConfig(members: string): string {
  return refused(`["${PROGRAM}",{${members}}]`).message
}

function bad(words: string): string {
  return `Invalid params: ${words}.`
}
