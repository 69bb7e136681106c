import { describe, expect, test } from 'bun:test'
import { isSolanaError } from '../solana-error.ts'
import { readProgramAccountsCall } from './program-accounts.ts'

const PROGRAM = 'Stake11111111111111111111111111111111111111'
const RULES = { defaultEncoding: 'json', pageLimit: 10_000 } as const

describe('the validation table of a node', () => {
  test.each([
    ['no params', '[]', '`params` should have at least 1 argument(s)'],
    ['null params', 'null', '`params` should have at least 1 argument(s)'],
    ['params by name', '{"program":"x"}', '`params` should be an array'],
    ['a program that is no text', '[5]', bad('invalid type: integer `5`, expected a string')],
    ['no program', '[null]', bad('invalid type: null, expected a string')],
    ['a program in a list', '[["x"],{}]', bad('invalid type: sequence, expected a string')],
    ['a program of bad letters', '["0OIl"]', 'Invalid param: Invalid'],
    ['a short program', '["abc"]', 'Invalid param: WrongSize'],
    ['an empty program', '[""]', 'Invalid param: WrongSize'],
    ['a program of 33 bytes', `["1${PROGRAM}"]`, 'Invalid param: WrongSize'],
    ['a program beyond 256 bits', `["${'z'.repeat(44)}"]`, 'Invalid param: WrongSize'],
    ['a long program of bad letters', `["${'0'.repeat(45)}"]`, 'Invalid param: WrongSize'],
    ['a program of many bytes', `["${'é'.repeat(23)}"]`, 'Invalid param: WrongSize'],
    ['a program of other scripts', '["éé"]', 'Invalid param: Invalid'],
    ['half a character', '["\\ud800"]', 'Invalid param: Invalid'],
  ])('%s', (_title, params, message) => {
    expect(refused(params)).toEqual({ code: -32602, message, dataText: null })
  })

  test('a third param is refused with how many there were', () => {
    expect(refused(`["${PROGRAM}",{},5]`)).toEqual({
      code: -32602,
      message: 'Invalid parameters: Expected from 1 to 2 parameters.',
      dataText: '"\\"Got: 3\\""',
    })
  })

  test.each([
    ['a list', '[1]', bad('invalid type: sequence, expected struct RpcProgramAccountsConfig')],
    [
      'a text',
      '"a\\"b"',
      bad('invalid type: string "a\\"b", expected struct RpcProgramAccountsConfig'),
    ],
    [
      'a truth',
      'true',
      bad('invalid type: boolean `true`, expected struct RpcProgramAccountsConfig'),
    ],
    [
      'a number',
      '1.5',
      bad('invalid type: floating point `1.5`, expected struct RpcProgramAccountsConfig'),
    ],
  ])('%s is no config', (_title, config, message) => {
    expect(refused(`["${PROGRAM}",${config}]`).message).toBe(message)
  })

  const encodings = '`binary`, `base58`, `base64`, `jsonParsed`, `base64+zstd`, `json`'
  test.each([
    ['"hex"', bad(`unknown variant \`hex\`, expected one of ${encodings}`)],
    ['"BASE64"', bad(`unknown variant \`BASE64\`, expected one of ${encodings}`)],
    ['"constructor"', bad(`unknown variant \`constructor\`, expected one of ${encodings}`)],
    ['5', bad('invalid type: integer `5`, expected string or map')],
    ['["base64"]', bad('invalid type: sequence, expected string or map')],
    ['{}', bad('invalid value: map, expected map with a single key')],
    ['{"base64":null,"base58":null}', bad('invalid value: map, expected map with a single key')],
    ['{"base64":7}', bad('invalid type: integer `7`, expected unit')],
  ])('encoding %s', (encoding, message) => {
    expect(refusedConfig(`"encoding":${encoding}`)).toBe(message)
  })

  test.each([
    ['{"offset":1}', bad('missing field `length`')],
    ['{"length":1}', bad('missing field `offset`')],
    ['{}', bad('missing field `offset`')],
    ['{"offset":-1,"length":1}', bad('invalid value: integer `-1`, expected usize')],
    ['{"offset":1,"length":-1}', bad('invalid value: integer `-1`, expected usize')],
    ['{"offset":1.5,"length":1}', bad('invalid type: floating point `1.5`, expected usize')],
    ['{"offset":1e3,"length":1}', bad('invalid type: floating point `1000.0`, expected usize')],
    ['{"offset":-0,"length":1}', bad('invalid type: floating point `-0.0`, expected usize')],
    ['{"offset":"1","length":1}', bad('invalid type: string "1", expected usize')],
    ['{"offset":null,"length":1}', bad('invalid type: null, expected usize')],
    ['{"offset":"o","length":"l"}', bad('invalid type: string "l", expected usize')],
    [
      '{"offset":18446744073709551616,"length":1}',
      bad('invalid type: floating point `1.8446744073709552e19`, expected usize'),
    ],
    ['5', bad('invalid type: integer `5`, expected struct UiDataSliceConfig')],
    ['[1]', bad('invalid length 1, expected struct UiDataSliceConfig with 2 elements')],
    ['[1,2,3]', bad('invalid length 3, expected 2 elements in sequence')],
    ['[1,true]', bad('invalid type: boolean `true`, expected usize')],
  ])('dataSlice %s', (slice, message) => {
    expect(refusedConfig(`"encoding":"base64","dataSlice":${slice}`)).toBe(message)
  })

  test.each([
    ['"withContext":1', bad('invalid type: integer `1`, expected a boolean')],
    ['"sortResults":"yes"', bad('invalid type: string "yes", expected a boolean')],
    ['"minContextSlot":-1', bad('invalid value: integer `-1`, expected u64')],
    ['"minContextSlot":"1"', bad('invalid type: string "1", expected u64')],
    ['"minContextSlot":1e30', bad('invalid type: floating point `1e30`, expected u64')],
    ['"minContextSlot":-1e-7', bad('invalid type: floating point `-1e-7`, expected u64')],
    ['"minContextSlot":0.00001', bad('invalid type: floating point `0.00001`, expected u64')],
    ['"minContextSlot":1e999', bad('invalid type: floating point `inf`, expected u64')],
    [
      '"minContextSlot":18446744073709551616',
      bad('invalid type: floating point `1.8446744073709552e19`, expected u64'),
    ],
    [
      '"minContextSlot":-9223372036854775809',
      bad('invalid type: floating point `-9.223372036854776e18`, expected u64'),
    ],
    [
      '"minContextSlot":-9223372036854775808',
      bad('invalid value: integer `-9223372036854775808`, expected u64'),
    ],
  ])('%s', (member, message) => {
    expect(refusedConfig(member)).toBe(message)
  })
})

describe('what a node has no words for is named by its field', () => {
  const sliced = '`base58`, `base64` or `base64+zstd`'
  const sure = '`processed`, `confirmed`, `finalized`'
  test.each([
    [
      '"dataSlice":{"offset":0,"length":1},"encoding":"json"',
      bad(`dataSlice: not valid with encoding \`json\`, expected ${sliced}`),
    ],
    [
      '"dataSlice":{"offset":0,"length":1},"encoding":"jsonParsed"',
      bad(`dataSlice: not valid with encoding \`jsonParsed\`, expected ${sliced}`),
    ],
    ['"commitment":"sure"', bad(`commitment: unknown variant \`sure\`, expected one of ${sure}`)],
    [
      '"commitment":"toString"',
      bad(`commitment: unknown variant \`toString\`, expected one of ${sure}`),
    ],
    ['"commitment":5', bad('commitment: invalid type: integer `5`, expected a string')],
    ['"commitment":{"commitment":"max"}', bad('commitment: invalid type: map, expected a string')],
    ['"order":"up"', bad('order: unknown variant `up`, expected one of `asc`, `desc`')],
    ['"order":1', bad('order: invalid type: integer `1`, expected a string')],
    ['"pageKey":5', bad('pageKey: invalid type: integer `5`, expected a string')],
    ['"pageKey":{}', bad('pageKey: invalid type: map, expected a string')],
    ['"limit":0', bad('limit: invalid value: integer `0`, expected an integer from 1 to 10000')],
    [
      '"limit":10001',
      bad('limit: invalid value: integer `10001`, expected an integer from 1 to 10000'),
    ],
    ['"limit":-1', bad('limit: invalid value: integer `-1`, expected an integer from 1 to 10000')],
    [
      '"limit":1e3',
      bad('limit: invalid type: floating point `1000.0`, expected an integer from 1 to 10000'),
    ],
    ['"limit":"5"', bad('limit: invalid type: string "5", expected an integer from 1 to 10000')],
  ])('%s', (member, message) => {
    expect(refusedConfig(member)).toBe(message)
  })

  test('the same for the pages of V2', () => {
    const v2 = (member: string) => readProgramAccountsCall(`["${PROGRAM}",{${member}}]`, RULES, 2)
    expect(v2('"paginationKey":5')).toHaveProperty(
      'message',
      bad('paginationKey: invalid type: integer `5`, expected a string'),
    )
    expect(v2('"changedSinceSlot":-1')).toHaveProperty(
      'message',
      bad('changedSinceSlot: invalid value: integer `-1`, expected u64'),
    )
    expect(v2('"changedSinceSlot":1.5')).toHaveProperty(
      'message',
      bad('changedSinceSlot: invalid type: floating point `1.5`, expected u64'),
    )
    expect(v2('"limit":10001')).toHaveProperty(
      'message',
      bad('limit: invalid value: integer `10001`, expected an integer from 1 to 10000'),
    )
  })
})

function read(params: string): ReturnType<typeof readProgramAccountsCall> {
  return readProgramAccountsCall(params, RULES)
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
