import { describe, expect, test } from 'bun:test'
import { judgeError } from './error-classes.ts'

describe("an error in answer to a caller's call", () => {
  const CALL = sent('eth_getBalance', ['0x00000000000000000000000000000000000000aa', 'latest'])

  test.each([
    [-32600, 'Must be authenticated!', 'caller'],
    [-32600, 'Monthly capacity limit exceeded.', 'caller'],
    [-32602, 'invalid value "rate limit" for argument 0', 'caller'],
    [-32602, 'unauthorized', 'caller'],
    [-32602, 'method not found', 'caller'],
    [-32602, 'request timed out', 'caller'],
    [-32700, 'too many requests', 'caller'],
    // Another vendor may draw the line elsewhere, and this node is not blamed by that.
    [-32602, 'range 1000000 exceeds limit of 10000', 'elsewhere'],
    [-32600, 'Log response size exceeded. Try this block range: [0x1, 0x2]', 'elsewhere'],
  ] as const)("is the caller's by its code, whatever it says: %d %s: %s", (code, message, said) => {
    expect(judgeError('evm', { code, message }, CALL).class).toBe(said)
  })

  test.each([
    [-32005, 'limit exceeded', { class: 'throttled', byWords: false }],
    [429, 'slow down', { class: 'throttled', byWords: false }],
    [-32007, '50/second request limit reached', { class: 'throttled', byWords: true }],
    [-32000, 'rate limited', { class: 'throttled', byWords: true }],
    [-32000, 'Unauthorized', { class: 'refused', byWords: true }],
    [-32601, 'the method eth_getBalance does not exist', { class: 'unsupported', byWords: false }],
    [-32000, 'Method eth_getBalance not supported', { class: 'unsupported', byWords: true }],
    [-32603, 'boom', { class: 'internal', byWords: false }],
    [-32000, 'header not found', { class: 'elsewhere', byWords: true }],
  ] as const)('is known by its code, or by words alone: %d %s', (code, message, verdict) => {
    const judged = judgeError('evm', { code, message }, CALL)
    expect(judged.class).toBe(verdict.class)
    if (verdict.class !== 'throttled') expect(judged.byWords).toBe(verdict.byWords)
  })

  const INCRIMINATING = [
    'rate limit',
    'too many requests',
    'quota',
    'monthly credits',
    'unauthorized',
    'forbidden',
    'invalid project id',
    'api key is not',
    'request timed out',
    'server overloaded',
    'method x not found',
    'unsupported method',
    'archive',
    'header not found',
  ]

  const ECHOES: [how: string, echo: (text: string) => string][] = [
    ['as it is', (text) => `bad address: ${text}`],
    ['quoted', (text) => `cannot parse "${text}" as an address`],
    ['in upper case', (text) => `BAD ADDRESS: ${text.toUpperCase()}`],
    ['twice', (text) => `${text}: bad address (${text})`],
    ['cut off at both ends', (text) => `bad: …${text.slice(1)}…`],
    ['in the middle of much else', (text) => `${'x '.repeat(200)}${text}${' y'.repeat(200)}`],
    ['JSON-escaped', (text) => `bad param ${JSON.stringify(JSON.stringify(text))}`],
  ]

  for (const [how, echo] of ECHOES) {
    test.each(INCRIMINATING)(`is the caller's where the node repeats it ${how}: %s`, (text) => {
      for (const params of whereItMayStand(text)) {
        const error = { code: -32000, message: echo(text) }
        const said = judgeError('evm', error, sent('eth_getBalance', params)).class
        expect({ params, said }).toEqual({ params, said: 'caller' })
        const solana = judgeError('solana', error, sent('getBalance', params)).class
        expect({ params, said: solana }).toEqual({ params, said: 'caller' })
      }
    })
  }

  test('is told by the words that are left when the echo is taken out', () => {
    const call = sent('eth_getBalance', ['unauthorized'])
    const message = 'rate limit reached while reading unauthorized'
    expect(judgeError('evm', { code: -32000, message }, call).class).toBe('throttled')
  })

  test("is the caller's where its name of a method is repeated", () => {
    const call = sent('rate limit', [])
    expect(judgeError('evm', { code: -32000, message: 'no rate limit here' }, call).class).toBe(
      'caller',
    )
  })

  test("is not put together from a caller's words and the node's", () => {
    const call = sent('eth_getBalance', ['api key'])
    const message = 'api key is not an address'
    expect(judgeError('evm', { code: -32000, message }, call).class).toBe('caller')
  })

  test.each([
    ['one text of 2.5 MB', [`${'a'.repeat(2_500_000)} rate limit`]],
    ['600,000 short texts', [Array.from({ length: 600_000 }, () => 'aaaa'), 'rate limit']],
    ['300,000 members', [Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [at, at]))]],
    ['lists in lists', [JSON.parse(`${'['.repeat(60)}"rate limit"${']'.repeat(60)}`)]],
  ])('costs no more than a look at the params: %s', (_title, params) => {
    const call = sent('eth_getBalance', params)
    const message = `${'a'.repeat(900)} rate limit`.repeat(1000)
    // A look takes milliseconds; each text against each place of the message, minutes.
    for (let look = 0; look < 10; look++) {
      expect(judgeError('evm', { code: -32000, message }, call).class).toBeString()
    }
  })
})

function sent(method: string, params: unknown[]) {
  return { method, params, paramsText: JSON.stringify(params) }
}

function whereItMayStand(text: string): unknown[][] {
  return [
    [text, 'latest'],
    [{ to: { deep: [1, null, [text]] } }],
    [{ [text]: 1 }],
    [`before ${text} behind`],
    [...Array.from({ length: 500 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`), text],
  ]
}
