import { describe, expect, test } from 'bun:test'
import { encodeBase58 } from '../base58.ts'
import { isSolanaError } from '../solana-error.ts'
import { type ProgramAccountsCall, readProgramAccountsCall } from './program-accounts.ts'

const PROGRAM = 'Stake11111111111111111111111111111111111111'
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const RULES = { defaultEncoding: 'json', pageLimit: 10_000 } as const
const KEY = encodeBase58(new Uint8Array(32).fill(7))

describe('of several faults the one that a node finds first is named', () => {
  test.each([
    [
      'how many params before what they are',
      '[5,6,7]',
      'Invalid parameters: Expected from 1 to 2 parameters.',
    ],
    [
      'the type of the program before the config',
      '[5,6]',
      bad('invalid type: integer `5`, expected a string'),
    ],
    [
      'the config before what the program stands for',
      '["abc",6]',
      bad('invalid type: integer `6`, expected struct RpcProgramAccountsConfig'),
    ],
    [
      'filters before the rest',
      `["abc",{"encoding":5,"filters":5}]`,
      bad('invalid type: integer `5`, expected a sequence'),
    ],
    [
      'types of filters before their number',
      `["abc",{"filters":[1,1,1,1,1]}]`,
      bad('invalid type: integer `1`, expected string or map'),
    ],
    [
      'the program before the number of filters',
      `["abc",{"filters":[${Array(5).fill('"tokenAccountState"').join()}]}]`,
      'Invalid param: WrongSize',
    ],
    [
      'the number of filters before their bytes',
      `["${PROGRAM}",{"filters":[${Array(5).fill('{"memcmp":{"offset":0,"bytes":"0"}}').join()}]}]`,
      'Too many filters provided; max 4',
    ],
    [
      'withContext before encoding',
      '["abc",{"encoding":5,"withContext":5}]',
      bad('invalid type: integer `5`, expected a boolean'),
    ],
    [
      'dataSlice before encoding',
      '["abc",{"encoding":5,"dataSlice":true}]',
      bad('invalid type: boolean `true`, expected struct UiDataSliceConfig'),
    ],
    [
      'encoding before minContextSlot',
      '["abc",{"minContextSlot":true,"encoding":5}]',
      bad('invalid type: integer `5`, expected string or map'),
    ],
  ])('%s', (_title, params, message) => {
    expect(refused(params)).toBe(message)
  })
})

describe('what a caller may say', () => {
  test('nothing but the program: finalized, all of it, in our own encoding', () => {
    expect(call(`["${PROGRAM}"]`)).toEqual({
      version: 1,
      program: expect.any(Uint8Array),
      programText: PROGRAM,
      encoding: 'base64',
      dataSlice: null,
      filters: [],
      commitment: 'finalized',
      minContextSlot: null,
      withContext: false,
      order: 'asc',
      limit: 10_000,
      pageKey: null,
      changedSinceSlot: null,
      sortResults: true,
    })
    expect(call(` [ "${PROGRAM}" , null ] `)).toEqual(call(`["${PROGRAM}"]`))
  })

  test('null is the same as nothing, and members that nobody knows are passed over', () => {
    const names = ['encoding', 'dataSlice', 'filters', 'withContext', 'minContextSlot']
    names.push('commitment', 'sortResults', 'order', 'limit', 'pageKey')
    const nulls = names.map((name) => `"${name}":null`).join()
    expect(config(nulls)).toEqual(config(''))
    expect(config('"__proto__":{"limit":5},"constructor":1,"cursor":[]')).toEqual(config(''))
    expect(config('"changedSinceSlot":"x","paginationKey":5')).toEqual(config(''))
  })

  test.each([
    ['json', 'base64'],
    ['base64', 'base64'],
    ['base58', 'base58'],
    ['binary', 'binary'],
    ['base64+zstd', 'base64+zstd'],
    ['jsonParsed', 'jsonParsed'],
  ])('encoding %s is written as %s', (asked, written) => {
    expect(config(`"encoding":"${asked}"`).encoding).toBe(written as never)
    expect(config(`"encoding":{"${asked}":null}`).encoding).toBe(written as never)
  })

  test('an omitted encoding is what the operator says, and takes a slice', () => {
    const params = `["${PROGRAM}",{"dataSlice":{"offset":0,"length":8}}]`
    expect(call(params).encoding).toBe('base64')
    const legacy = readProgramAccountsCall(params, { ...RULES, defaultEncoding: 'binary' })
    expect(legacy).toMatchObject({ encoding: 'binary', dataSlice: { offset: 0, length: 8 } })
  })

  test.each([
    ['processed', 'processed'],
    ['recent', 'processed'],
    ['confirmed', 'confirmed'],
    ['single', 'confirmed'],
    ['singleGossip', 'confirmed'],
    ['finalized', 'finalized'],
    ['root', 'finalized'],
    ['max', 'finalized'],
  ])('commitment %s means %s', (given, meant) => {
    expect(config(`"commitment":"${given}"`).commitment).toBe(meant as never)
  })

  test('a u64 keeps all its digits', () => {
    expect(config('"minContextSlot":18446744073709551615').minContextSlot).toBe(2n ** 64n - 1n)
    expect(config('"minContextSlot":9223372036854775807').minContextSlot).toBe(2n ** 63n - 1n)
    const v2 = readProgramAccountsCall(
      `["${PROGRAM}",{"changedSinceSlot":18446744073709551615}]`,
      RULES,
      2,
    )
    expect(v2).toHaveProperty('changedSinceSlot', 2n ** 64n - 1n)
  })

  test('sizes and offsets that no data reaches are clipped, not refused', () => {
    const huge = '18446744073709551615'
    const clipped = Number.MAX_SAFE_INTEGER
    const { filters, dataSlice } = config(
      `"encoding":"base64","dataSlice":[${huge},${huge}],` +
        `"filters":[{"dataSize":${huge}},{"memcmp":{"offset":${huge},"bytes":""}}]`,
    )
    expect(dataSlice).toEqual({ offset: clipped, length: clipped })
    expect(filters).toEqual([
      { kind: 'dataSize', bytes: clipped },
      { kind: 'memcmp', offset: clipped, bytes: new Uint8Array() },
    ])
  })

  test('bytes to compare come as base-58, base64 or a list', () => {
    const bytes = Uint8Array.of(0, 1, 2, 255)
    const needles = [
      `"bytes":"${encodeBase58(bytes)}"`,
      `"bytes":"${encodeBase58(bytes)}","encoding":"bytes"`,
      `"bytes":"${encodeBase58(bytes)}","encoding":null`,
      '"bytes":"AAEC/w==","encoding":"base64"',
      '"bytes":[0, 1, 2, 255]',
      '"bytes":[0,1,2,255],"encoding":"base64"',
    ]
    for (const needle of needles) {
      const { filters } = config(`"filters":[{"memcmp":{"offset":3,${needle}}}]`)
      expect(filters).toEqual([{ kind: 'memcmp', offset: 3, bytes }])
    }
  })

  test('the state of a token account is asked for by name, with or without a null', () => {
    const asked = [{ kind: 'tokenAccountState' }] as const
    expect(config('"filters":["tokenAccountState"]').filters).toEqual(asked)
    expect(config('"filters":[{"tokenAccountState":null}]').filters).toEqual(asked)
  })

  test('token accounts by owner or mint are initialised ones, as on a node', () => {
    const key = (offset: number) => `{"memcmp":{"offset":${offset},"bytes":"${KEY}"}}`
    const kinds = (program: string, filters: string) =>
      call(`["${program}",{"filters":[${filters}]}]`).filters.map(({ kind }) => kind)
    const byType = '{"memcmp":{"offset":165,"bytes":[2]}}'
    expect(kinds(TOKEN, `${key(32)},{"dataSize":165}`)).toContain('tokenAccountState')
    expect(kinds(TOKEN, `${key(0)},{"dataSize":165}`)).toContain('tokenAccountState')
    expect(kinds(TOKEN_2022, `${key(0)},${byType}`)).toContain('tokenAccountState')
    expect(kinds(TOKEN, `${key(0)},${byType}`)).not.toContain('tokenAccountState')
    expect(kinds(TOKEN, key(32))).not.toContain('tokenAccountState')
    expect(kinds(TOKEN, '{"dataSize":165}')).not.toContain('tokenAccountState')
    expect(kinds(TOKEN, `${key(8)},{"dataSize":165}`)).not.toContain('tokenAccountState')
    expect(kinds(PROGRAM, `${key(32)},{"dataSize":165}`)).not.toContain('tokenAccountState')
    expect(kinds(TOKEN, `${key(32)},"tokenAccountState"`)).toHaveLength(2)
  })

  test('a page holds what the caller asks for, and never more than the operator allows', () => {
    const limit = (member: string, pageLimit: number) =>
      readProgramAccountsCall(`["${PROGRAM}",{${member}}]`, { ...RULES, pageLimit })
    expect(limit('', 50)).toHaveProperty('limit', 50)
    expect(limit('"limit":7', 50)).toHaveProperty('limit', 7)
    expect(limit('"limit":51', 50)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('limit: invalid value: integer `51`, expected an integer'),
    })
    expect(limit('', 100_000)).toHaveProperty('limit', 100_000)
    expect(limit('"limit":100000', 100_000)).toHaveProperty('limit', 100_000)
  })

  test('V2 has its own names for pages, and a thousand records a page', () => {
    const v2 = (member: string, pageLimit = 10_000) =>
      readProgramAccountsCall(`["${PROGRAM}",{${member}}]`, { ...RULES, pageLimit }, 2)
    expect(v2('')).toMatchObject({ version: 2, limit: 1_000, pageKey: null })
    expect(v2('', 50)).toHaveProperty('limit', 50)
    expect(v2('"limit":10000', 100_000)).toHaveProperty('limit', 10_000)
    expect(v2('"limit":10001', 100_000)).toHaveProperty('code', -32602)
    expect(v2('"limit":70', 50)).toHaveProperty('limit', 50)
    expect(v2('"paginationKey":"abc","pageKey":5')).toHaveProperty('pageKey', 'abc')
    expect(v2('"changedSinceSlot":7,"order":"desc"')).toMatchObject({
      changedSinceSlot: 7n,
      order: 'desc',
    })
  })

  test('of a member that stands twice the last one counts, however it is spelled', () => {
    expect(config('"limit":"x","limit":5').limit).toBe(5)
    expect(config('"limit":5,"l\\u0069mit":6').limit).toBe(6)
    expect(refused(`["${PROGRAM}",{"limit":5,"limit":"x"}]`)).toContain('limit')
    const filters = '"filters":[{"dataSize":1,"dataSize":2}]'
    expect(config(filters).filters).toEqual([{ kind: 'dataSize', bytes: 2 }])
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

function refused(params: string): string {
  const outcome = read(params)
  if (!isSolanaError(outcome)) throw new Error(`not refused: ${params}`)
  return outcome.message
}

function bad(words: string): string {
  return `Invalid params: ${words}.`
}
