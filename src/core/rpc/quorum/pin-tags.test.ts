import { describe, expect, test } from 'bun:test'
import { openMethodRegistry } from '../method-registry.ts'
import { pinTags } from './pin-tags.ts'

const methods = openMethodRegistry('evm')
const HEAD = { number: 1000, hash: '0xaa', finalized: 900 }

function pinned(method: string, paramsText: string, head: typeof HEAD | null = HEAD) {
  const params = JSON.parse(paramsText) as unknown[]
  const call = pinTags(methods.find(method), { params, paramsText }, head)
  expect(JSON.parse(call.paramsText)).toEqual(call.params)
  return [call.paramsText, call.height]
}

describe('a tag that moves becomes the number that it stands for', () => {
  test.each([
    ['latest', 'eth_getBalance', '["0x11","latest"]', '["0x11","0x3e8"]', 1000],
    ['what is left out', 'eth_getBalance', '["0x11"]', '["0x11","0x3e8"]', 1000],
    ['finalized', 'eth_call', '[{},"finalized"]', '[{},"0x384"]', 900],
    ['a block of its own', 'eth_getBlockByNumber', '["latest",true]', '["0x3e8",true]', 1000],
  ])('%s', (_title, method, given, wanted, height) => {
    expect(pinned(method, given)).toEqual([wanted, height])
  })

  test('both ends of a filter, which keeps all else as it stands', () => {
    expect(
      pinned('eth_getLogs', '[{"topics":[null],"toBlock":"latest","fromBlock":"0x1"}]'),
    ).toEqual(['[{"topics":[null],"toBlock":"0x3e8","fromBlock":"0x1"}]', 1000])
    expect(pinned('eth_getLogs', '[{}]')[0]).toBe('[{"fromBlock":"0x3e8","toBlock":"0x3e8"}]')
  })
})

describe('a call stays as it is', () => {
  test.each([
    ['that names a number', 'eth_getBalance', '["0x11", "0x5"]', 5],
    ['that names a hash', 'eth_getBlockByHash', '["0xab",false]', null],
    ['whose number a double would round', 'eth_call', '[{"gas":18446744073709551615},"0x5"]', 5],
    ['that asks for one block of logs', 'eth_getLogs', '[{"blockHash":"0xab"}]', null],
    ['that is wrong', 'eth_getStorageAt', '["0x11"]', null],
    ['whose filter is none', 'eth_getLogs', '[5]', null],
    ['about a block that is only safe', 'eth_getBalance', '["0x11","safe"]', null],
  ])('%s', (_title, method, given, height) => {
    expect(pinned(method, given)).toEqual([given, height])
  })

  test('while no head is known', () => {
    expect(pinned('eth_getBalance', '["0x11","latest"]', null)[0]).toBe('["0x11","latest"]')
  })
})

test('other params keep their digits where a tag is replaced', () => {
  const [text] = pinned('eth_call', '[{"gas":18446744073709551615},"latest"]')
  expect(text).toBe('[{"gas":18446744073709551615},"0x3e8"]')
})
