import { describe, expect, test } from 'bun:test'
import { isSolanaError } from '../solana-error.ts'
import { readProgramAccountsCall } from './program-accounts.ts'

const PROGRAM = 'Stake11111111111111111111111111111111111111'
const RULES = { defaultEncoding: 'json', pageLimit: 10_000 } as const

describe('hostile params', () => {
  test.each([
    ['', -32700],
    ['[', -32700],
    ['NaN', -32700],
    [`["${PROGRAM}",{"limit":NaN}]`, -32700],
    [`["${PROGRAM}",{"limit":01}]`, -32700],
    [`["${PROGRAM}",{"limit":+1}]`, -32700],
    [`["${PROGRAM}",{"limit":0x10}]`, -32700],
    [`["${PROGRAM}",{"limit":1n}]`, -32700],
    [`["${PROGRAM}",{limit:1}]`, -32700],
    ['5', -32602],
    ['"params"', -32602],
    ['true', -32602],
  ])('%s is refused', (text, code) => {
    expect(refused(text).code).toBe(code)
  })

  test('params nested without end are refused unread', () => {
    const deep = `["${PROGRAM}",{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}]`
    expect(refused(deep).message).toBe('Invalid params: recursion limit exceeded.')
    const objects = `["${PROGRAM}",${'{"filters":'.repeat(100)}1${'}'.repeat(100)}]`
    expect(refused(objects).message).toBe('Invalid params: recursion limit exceeded.')
    expect(refused('['.repeat(50_000)).code).toBe(-32602)
  })

  test('params longer than a node takes a whole request are refused unread', () => {
    const padded = (length: number) => `["${PROGRAM}"]`.padEnd(length, ' ')
    expect(isSolanaError(read(padded(51_200)))).toBe(false)
    expect(refused(padded(51_201))).toMatchObject({
      code: -32602,
      message: 'Invalid params: params are longer than 51200 characters.',
    })
    expect(refused('['.repeat(2_000_000)).message).toContain('longer')
  })

  test('a number of many digits is refused without being worked out', () => {
    const digits = '9'.repeat(50_000)
    expect(refusedConfig(`"minContextSlot":${digits}`)).toContain('expected u64')
    expect(refusedConfig(`"limit":0.${digits}`)).toContain('limit')
    expect(refusedConfig(`"filters":[{"dataSize":${digits}}]`)).toContain('expected u64')
  })

  test('what is repeated of a wrong text is short and whole', () => {
    const message = refusedConfig(`"encoding":"${'x'.repeat(50_000)}"`)
    expect(message.length).toBeLessThan(500)
    const odd = refusedConfig('"withContext":"\\ud800\\u0000\\n\\u202e\'\\u00a0é"')
    expect(odd).toBe(
      'Invalid params: invalid type: string ' +
        `"\\u{d800}\\0\\n\\u{202e}'\\u{a0}é", expected a boolean.`,
    )
  })

  test('a wrong type anywhere is refused, never thrown', () => {
    const values = ['null', 'true', '5', '-5', '1.5', '1e400', '"x"', '"\\udfff"', '[]', '[[]]']
    values.push('{}', '{"x":1}', '{"__proto__":null}', '["x",null]', '{"toString":{"valueOf":1}}')
    const fields = ['encoding', 'dataSlice', 'filters', 'withContext', 'minContextSlot', 'order']
    fields.push('commitment', 'sortResults', 'limit', 'pageKey', 'paginationKey')
    for (const value of values) {
      expect(() => read(`[${value}]`)).not.toThrow()
      expect(() => read(`["${PROGRAM}",${value}]`)).not.toThrow()
      for (const field of [...fields, 'changedSinceSlot']) {
        const params = `["${PROGRAM}",{"${field}":${value}}]`
        for (const outcome of [read(params), readProgramAccountsCall(params, RULES, 2)]) {
          if (isSolanaError(outcome)) expect(outcome.code).toBe(-32602)
        }
      }
      for (const filter of [
        value,
        `{"dataSize":${value}}`,
        `{"memcmp":${value}}`,
        `{"tokenAccountState":${value}}`,
        `{"memcmp":{"offset":${value},"bytes":"1"}}`,
        `{"memcmp":{"offset":1,"bytes":${value}}}`,
        `{"memcmp":{"offset":1,"bytes":"1","encoding":${value}}}`,
      ]) {
        const outcome = read(`["${PROGRAM}",{"filters":[${filter}]}]`)
        if (isSolanaError(outcome)) expect(outcome.code).toBe(-32602)
      }
    }
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
