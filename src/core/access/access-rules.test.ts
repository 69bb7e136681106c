import { describe, expect, test } from 'bun:test'
import { NO_LISTS } from '../app.ts'
import { Rejection } from '../errors.ts'
import { type Call, isBadCall, parseBody } from '../rpc/jsonrpc.ts'
import { callRefusal, compileAccessRules, edgeRefusal } from './access-rules.ts'
import { readAllowChange } from './read-allow-change.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const C = `0x${'cc'.repeat(20)}`

function rulesOf(lists: Partial<typeof NO_LISTS>) {
  const rules = compileAccessRules({ ...NO_LISTS, ...lists })
  if (!rules) throw new Error('no rules')
  return rules
}

/** Read as a body is, so that the texts are the caller's own. */
function callOf(method: string, paramsText: string): Call {
  const body = parseBody(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${paramsText}}`)
  if (body instanceof Rejection || Array.isArray(body) || isBadCall(body)) {
    throw new Error('no call')
  }
  return body
}

function refusal(lists: Partial<typeof NO_LISTS>, method: string, params: string | unknown[]) {
  const text = typeof params === 'string' ? params : JSON.stringify(params)
  return callRefusal(rulesOf(lists), 'evm', callOf(method, text))
}

test('an app without lists has no rules to be asked', () => {
  expect(compileAccessRules(NO_LISTS)).toBeNull()
})

describe('where a request comes from', () => {
  const nobody = () => {
    throw new Error('asked for the address')
  }

  test('is asked only where a list needs it', () => {
    const rules = rulesOf({ methods: ['eth_call'] })
    expect(edgeRefusal(rules, { origin: null, address: nobody })).toBeNull()
  })

  test('must be an allowed origin, and a server has none', () => {
    const rules = rulesOf({ origins: ['https://*.example.com'] })
    const from = (origin: string | null) => edgeRefusal(rules, { origin, address: nobody })
    expect(from('https://a.example.com')).toBeNull()
    expect(from('https://evil.example')).toMatchObject({
      code: 'origin_not_allowed',
      httpStatus: 403,
      message: 'Origin https://evil.example is not allowed for this app (allow.origins).',
    })
    expect(from(null)?.message).toContain('without an Origin header')
    expect(from('x'.repeat(5000))?.message.length).toBeLessThan(300)
  })

  test('must be an allowed address, and what is no address is none', () => {
    const rules = rulesOf({ ips: ['203.0.113.0/24', '2001:db8:40::/48'] })
    const from = (address: string) => edgeRefusal(rules, { origin: null, address: () => address })
    expect(from('203.0.113.9')).toBeNull()
    expect(from('2001:db8:40::7')).toBeNull()
    expect(from('192.0.2.1')).toMatchObject({ code: 'address_not_allowed', httpStatus: 403 })
    expect(from('unknown')?.message).toContain('(allow.ips)')
    expect(from('')?.code).toBe('address_not_allowed')
  })
})

describe('allowed methods', () => {
  test.each([
    ['eth_call', true],
    ['eth_getLogs', true],
    ['eth_getBalance', true],
    ['eth_sendRawTransaction', false],
    ['ETH_CALL', false],
    ['eth_calls', false],
    ['eth_ge', false],
  ])('%s: %p', (method, expected) => {
    expect(refusal({ methods: ['eth_call', 'eth_get*'] }, method, []) === null).toBe(expected)
  })
})

describe('allowed contracts', () => {
  const contracts = [A, B]

  test.each([
    ['eth_call', [{ to: A }, 'latest'], true],
    ['eth_call', [{ to: A.toUpperCase().replace('0X', '0x') }, 'latest'], true],
    ['eth_call', [{ to: C }, 'latest'], false],
    ['eth_call', [{ data: '0x00' }, 'latest'], false],
    ['eth_call', [{ to: null }], false],
    ['eth_call', [{ to: [A] }], false],
    ['eth_call', [{ to: 7 }], false],
    ['eth_call', [{ To: A }], false],
    ['eth_call', [], false],
    ['eth_call', [null], false],
    ['eth_call', [[{ to: A }]], false],
    ['eth_call', [{ to: A }, 'latest', {}], true],
    ['eth_call', [{ to: A }, 'latest', null], true],
    ['eth_call', [{ to: A }, 'latest', { [A]: { code: '0x00' } }], false],
    ['eth_call', [{ to: A }, 'latest', {}, { time: '0x1' }], true],
    ['ETH_CALL', [{ to: C }], false],
    ['eth_estimateGas', [{ to: B }], true],
    ['eth_estimateGas', [{ to: C }], false],
    ['eth_createAccessList', [{ to: C }], false],
    ['trace_call', [{ to: C }, ['trace']], false],
    ['trace_call', [{ to: A }, ['trace'], 'latest'], true],
    ['trace_call', [{ to: A }, ['trace'], 'latest', { [A]: { code: '0x00' } }], false],
    ['debug_traceCall', [{ to: A }], false],
    ['eth_simulateV1', [{ blockStateCalls: [] }], false],
    ['eth_callMany', [[]], false],
    ['eth_getLogs', [{ address: A }], true],
    ['eth_getLogs', [{ address: [A, B] }], true],
    ['eth_getLogs', [{ address: [A, C] }], false],
    ['eth_getLogs', [{ address: [A, null] }], false],
    ['eth_getLogs', [{ address: [[A]] }], false],
    ['eth_getLogs', [{ address: [] }], false],
    ['eth_getLogs', [{ fromBlock: '0x1' }], false],
    ['eth_getLogs', [], false],
    ['eth_newFilter', [{ address: A }], true],
    ['eth_newFilter', [{}], false],
    ['eth_subscribe', ['logs', { address: A }], true],
    ['eth_subscribe', ['logs', { address: C }], false],
    ['eth_subscribe', ['logs'], false],
    ['eth_subscribe', ['newHeads'], true],
    ['eth_getCode', [A, 'latest'], true],
    ['eth_getCode', [C, 'latest'], false],
    ['eth_getCode', [], false],
    ['eth_getStorageAt', [B, '0x0', 'latest'], true],
    ['eth_getStorageAt', [C, '0x0', 'latest'], false],
    ['eth_getProof', [C, [], 'latest'], false],
    ['eth_getBalance', [C, 'latest'], true],
    ['eth_blockNumber', [], true],
  ])('%s %j: %p', (method, params, expected) => {
    const refused = refusal({ contracts }, method, params)
    expect(refused === null).toBe(expected)
    if (refused) expect(refused).toMatchObject({ code: 'contract_not_allowed', httpStatus: 403 })
  })

  test.each([
    ['twice', `{"to":"${C}","to":"${A}"}`],
    ['the other way round', `{"to":"${A}","to":"${C}"}`],
    ['in another case', `{"to":"${A}","TO":"${C}"}`],
    ['by an escape', `{"to":"${A}","\\u0074o":"${C}"}`],
  ])('a member that stands there %s, which nodes read in different ways, is refused', (_, text) => {
    expect(refusal({ contracts }, 'eth_call', `[${text},"latest"]`)?.code).toBe(
      'contract_not_allowed',
    )
  })

  test('a letter that some nodes take for another is refused', () => {
    const params = `[{"address":"${A}","addre\u017fs":"${C}"}]`
    expect(refusal({ contracts }, 'eth_getLogs', params)?.code).toBe('contract_not_allowed')
  })

  test('are not asked for on Solana', () => {
    const call = callOf('getAccountInfo', '["x"]')
    expect(callRefusal(rulesOf({ contracts }), 'solana', call)).toBeNull()
  })
})

describe('lists that are sent', () => {
  test('are brought to one form, each entry once', () => {
    const upper = A.toUpperCase().replace('0X', '0x')
    expect(
      readAllowChange({
        origins: [' https://A.example.com/ ', 'https://a.example.com'],
        ips: ['10.1.2.3/8', '10.0.0.0/8'],
        contracts: [upper, A],
        methods: [],
      }),
    ).toEqual({
      origins: ['https://a.example.com'],
      ips: ['10.0.0.0/8'],
      contracts: [A],
      methods: [],
    })
    expect(readAllowChange({})).toEqual({})
  })

  test.each([
    [{ origins: ['a.example', 'x/y'] }, 'allow.origins[1] must be an origin such as'],
    [{ ips: ['10.0.0.0/64'] }, 'allow.ips[0] must be an IP address, or a range'],
    [{ methods: ['*'] }, 'allow.methods[0] must be the name of a method'],
    [{ methods: ['eth_*_x'] }, 'allow.methods[0]'],
    [{ methods: ['eth call'] }, 'allow.methods[0]'],
    [{ contracts: ['0x12'] }, 'allow.contracts[0] must be the address of a contract'],
    [{ contracts: [`${A}00`] }, 'allow.contracts[0]'],
    [{ contracts: ['vitalik.eth'] }, 'allow.contracts[0]'],
  ])('%j is refused, and the entry named', (change, message) => {
    const read = readAllowChange(change)
    expect(read).toBeInstanceOf(Rejection)
    expect((read as Rejection).message).toContain(message)
  })
})
