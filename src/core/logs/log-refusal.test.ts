import { describe, expect, test } from 'bun:test'
import { logRefusal } from './log-refusal.ts'

const ASKED = 100_000

const ALCHEMY_FREE =
  'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. ' +
  'Upgrade to PAYG for expanded block range.'
const ALCHEMY_SIZE =
  'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and ' +
  'no limit on the response size, or you can request any block range with a cap of 10K logs in ' +
  'the response. Based on your parameters and the response size limit, this block range should ' +
  'work: [0x0, 0xa]'
const CLOUDFLARE =
  "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800"
const RESULTS = 'query returned more than 10000 results'

function refusalOf(code: number, message: string, data?: unknown) {
  const text = JSON.stringify({ code, message, data })
  return logRefusal({ kind: 'error', code, message, text }, ASKED)
}

describe('refusals in the words of nodes and vendors', () => {
  test.each([
    ['range', 10_000, -32614, 'eth_getLogs is limited to a 10,000 range'],
    ['range', 10_000, -32000, 'eth_getLogs and eth_newFilter are limited to a 10,000 blocks range'],
    ['range', 10, -32600, ALCHEMY_FREE],
    ['range', 5000, -32000, 'exceed maximum block range: 5000'],
    ['range', 2048, -32000, 'requested too many blocks from 0 to 99999, maximum is set to 2048'],
    ['range', 800, -32047, CLOUDFLARE],
    ['range', 10_000, 35, 'ranges over 10000 blocks are not supported on freetier'],
    ['range', 20_000, -32602, 'block range greater than 20000 max'],
    ['range', 1024, -32603, 'block range is too wide (maximum 1024)'],
    ['range', 1024, -32000, 'query must be smaller than size 1024'],
    ['range', 1000, -32000, 'too wide blocks range, the limit is 1000'],
    ['range', null, -32005, 'Requested range exceeds maximum RPC range limit'],
    ['range', null, -32602, 'Block range limit exceeded. See more details at https://a.example/b'],
    ['range', null, -32602, 'Block range is too large'],
    ['range', null, -32602, 'query exceeds max block range 100000'],
    ['count', null, -32005, 'query returned more than 10000 results'],
    ['count', 32, -32005, `${RESULTS}. Try with this block range [0x10, 0x2f].`],
    ['count', 32, -32602, 'query exceeds max results 20000, retry with the range 16-47'],
    ['count', null, -32000, 'logs matched by query exceeds limit of 10000'],
    ['count', null, -32000, 'too many logs'],
    ['count', null, -32005, 'limit exceeded'],
    ['size', 11, -32602, ALCHEMY_SIZE],
    ['size', null, -32020, 'backend response too large'],
    ['size', null, -32008, 'Response is too big'],
    ['size', null, -32000, 'response size should not greater than 10000000 bytes'],
    ['time', null, -32000, 'query timeout exceeded. Consider reducing your block range.'],
    ['time', null, -32603, 'request timed out'],
    ['time', null, -32000, 'context deadline exceeded'],
    ['keys', null, -32602, 'exceed max addresses or topics per search position'],
  ] as const)('%s, %p blocks: %d %s', (kind, blocks, code, message) => {
    expect(refusalOf(code, message)).toEqual({ kind, blocks })
  })

  test('a range in the data is advice as well', () => {
    const data = { from: '0x10', to: '0x2f', limit: 10_000 }
    expect(refusalOf(-32005, RESULTS, data)).toEqual({ kind: 'count', blocks: 32 })
  })

  test.each([
    [-32602, 'invalid block range params'],
    [-32000, 'block range extends beyond current head block'],
    [-32005, 'rate limit exceeded'],
    [-32005, 'Too many requests, max 10 per second per range'],
    [-32000, 'One of the blocks specified in filter (fromBlock, toBlock) cannot be found.'],
    [-32601, 'the method eth_getLogs does not exist'],
    [-32000, 'header not found'],
    [3, 'limit exceeded'],
    [-32000, ''],
  ])('is none: %d %s', (code, message) => {
    expect(refusalOf(code, message)).toBeNull()
  })

  test.each([
    'block range too large, max 0',
    'block range too large, max 100000',
    'block range too large, max 99999999999999999999999999',
    'query returned more than 1 results. Try with this block range [0x20, 0x10].',
    'query returned more than 1 results. Try with this block range [0xffffffffffffffffff, 0x1].',
  ])('advice that is no use is not taken: %s', (message) => {
    expect(refusalOf(-32000, message)?.blocks).toBeNull()
  })
})
