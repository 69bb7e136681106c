import { describe, expect, test } from 'bun:test'
import { cachePolicy, type HeadView, heightWanted, policyForResult } from './cache-policy.ts'
import { openMethodRegistry } from './method-registry.ts'

const methods = openMethodRegistry('evm')
const solana = openMethodRegistry('solana')
const HASH = `0x${'ab'.repeat(32)}`
const ADDRESS = `0x${'11'.repeat(20)}`

/** At block 1000, final up to block 900. */
const HEAD: HeadView = { number: 1000, hash: HASH, finalized: 900 }
const hex = (height: number) => `0x${height.toString(16)}`

describe('for how long an answer may be kept', () => {
  test.each([
    ['the chain id, for good', 'eth_chainId', [], 'immutable'],
    ['the network version, for good', 'net_version', [], 'immutable'],
    ['the head itself, until the next', 'eth_blockNumber', [], 'head'],
    ['the gas price, until the next head', 'eth_gasPrice', [], 'head'],
    ['a balance at latest', 'eth_getBalance', [ADDRESS, 'latest'], 'head'],
    ['a balance without a block', 'eth_getBalance', [ADDRESS], 'head'],
    ['a balance with null for a block', 'eth_getBalance', [ADDRESS, null], 'head'],
    ['a balance at safe', 'eth_getBalance', [ADDRESS, 'safe'], 'head'],
    ['a balance at finalized, a tag that moves', 'eth_getBalance', [ADDRESS, 'finalized'], 'head'],
    ['a balance at pending, never', 'eth_getBalance', [ADDRESS, 'pending'], 'never'],
    ['a nonce at pending, never', 'eth_getTransactionCount', [ADDRESS, 'pending'], 'never'],
    ['a balance at a final height', 'eth_getBalance', [ADDRESS, hex(900)], 'immutable_if_filled'],
    ['a balance one above', 'eth_getBalance', [ADDRESS, hex(901)], 'head'],
    ['a balance at the head by number', 'eth_getBalance', [ADDRESS, hex(1000)], 'head'],
    ['a balance beyond the head, never', 'eth_getBalance', [ADDRESS, hex(1001)], 'never'],
    ['a balance at earliest', 'eth_getBalance', [ADDRESS, 'earliest'], 'immutable_if_filled'],
    ['a balance by hash', 'eth_getBalance', [ADDRESS, HASH], 'immutable_if_filled'],
    [
      'a balance by { blockHash }',
      'eth_getBalance',
      [ADDRESS, { blockHash: HASH }],
      'immutable_if_filled',
    ],
    [
      'a balance that asks whether its block still counts',
      'eth_getBalance',
      [ADDRESS, { blockHash: HASH, requireCanonical: true }],
      'never',
    ],
    [
      'a balance by { blockNumber }',
      'eth_getBalance',
      [ADDRESS, { blockNumber: hex(5) }],
      'immutable_if_filled',
    ],
    [
      'a balance by { blockNumber: latest }',
      'eth_getBalance',
      [ADDRESS, { blockNumber: 'latest' }],
      'head',
    ],
    ['a balance at an object that says nothing', 'eth_getBalance', [ADDRESS, {}], 'never'],
    ['a balance at a number that is no quantity', 'eth_getBalance', [ADDRESS, 900], 'never'],
    ['a balance at decimal text', 'eth_getBalance', [ADDRESS, '900'], 'never'],
    [
      'a balance at a height of 20 digits',
      'eth_getBalance',
      [ADDRESS, `0x${'f'.repeat(20)}`],
      'never',
    ],
    [
      'storage, whose block comes third',
      'eth_getStorageAt',
      [ADDRESS, '0x0', hex(7)],
      'immutable_if_filled',
    ],
    ['storage at latest', 'eth_getStorageAt', [ADDRESS, '0x0', 'latest'], 'head'],
    ['a call at latest', 'eth_call', [{ to: ADDRESS }, 'latest'], 'head'],
    ['a fee history', 'eth_feeHistory', ['0x4', hex(900), []], 'immutable_if_filled'],
    ['a block by hash', 'eth_getBlockByHash', [HASH, false], 'immutable_if_filled'],
    ['a block by a hash too short', 'eth_getBlockByHash', ['0xab', false], 'never'],
    ['a block by number', 'eth_getBlockByNumber', [hex(900), true], 'immutable_if_filled'],
    ['the latest block', 'eth_getBlockByNumber', ['latest', true], 'head'],
    ['receipts of a block by hash', 'eth_getBlockReceipts', [HASH], 'immutable_if_filled'],
    ['a transaction', 'eth_getTransactionByHash', [HASH], 'immutable_if_final'],
    ['a receipt', 'eth_getTransactionReceipt', [HASH], 'immutable_if_final'],
    ['a receipt of no hash', 'eth_getTransactionReceipt', [7], 'never'],
    ['logs up to latest', 'eth_getLogs', [{ fromBlock: hex(1), toBlock: 'latest' }], 'head'],
    ['logs without a range', 'eth_getLogs', [{ address: ADDRESS }], 'head'],
    [
      'logs of final blocks',
      'eth_getLogs',
      [{ fromBlock: hex(1), toBlock: hex(900) }],
      'immutable_if_filled',
    ],
    ['logs that end one above', 'eth_getLogs', [{ fromBlock: hex(1), toBlock: hex(901) }], 'head'],
    [
      'logs that end beyond the head',
      'eth_getLogs',
      [{ fromBlock: hex(1), toBlock: hex(2000) }],
      'never',
    ],
    ['logs up to pending', 'eth_getLogs', [{ fromBlock: hex(1), toBlock: 'pending' }], 'never'],
    ['logs of a block by hash', 'eth_getLogs', [{ blockHash: HASH }], 'immutable_if_filled'],
    ['logs of a hash that is none', 'eth_getLogs', [{ blockHash: 'latest' }], 'never'],
    ['logs of nothing', 'eth_getLogs', [], 'never'],
    ['logs of null', 'eth_getLogs', [null], 'never'],
    ['a write', 'eth_sendRawTransaction', ['0x00'], 'never'],
    ['what the node is doing', 'eth_syncing', [], 'never'],
    ['a trace', 'debug_traceTransaction', [HASH], 'never'],
    ['what nobody listed', 'zks_getBlockDetails', [5], 'never'],
  ] as const)('%s', (_title, name, params, keep) => {
    expect(cachePolicy(methods.find(name), params, HEAD)).toBe(keep)
  })

  test('nothing that moves is kept while no head is known', () => {
    expect(cachePolicy(methods.find('eth_blockNumber'), [], null)).toBe('never')
    expect(cachePolicy(methods.find('eth_getBalance'), [ADDRESS, 'latest'], null)).toBe('never')
    expect(cachePolicy(methods.find('eth_getBalance'), [ADDRESS, hex(1)], null)).toBe('never')
    expect(cachePolicy(methods.find('eth_getTransactionByHash'), [HASH], null)).toBe('never')
    expect(cachePolicy(methods.find('eth_getBlockByHash'), [HASH, true], null)).toBe(
      'immutable_if_filled',
    )
    expect(cachePolicy(methods.find('eth_chainId'), [], null)).toBe('immutable')
  })

  test('nothing is final while nobody says what is', () => {
    const head = { ...HEAD, finalized: null }
    expect(cachePolicy(methods.find('eth_getBalance'), [ADDRESS, hex(1)], head)).toBe('head')
  })

  test('on Solana only what belongs to the network is kept', () => {
    expect(cachePolicy(solana.find('getGenesisHash'), [], HEAD)).toBe('immutable')
    expect(cachePolicy(solana.find('getBalance'), [ADDRESS], HEAD)).toBe('never')
    expect(cachePolicy(solana.find('getBlock'), [5], HEAD)).toBe('never')
  })
})

describe('whether an answer is kept once it is there', () => {
  test.each([
    ['null is not, a node still indexing says the same', 'immutable_if_filled', null, 'never'],
    ['an empty list is not', 'immutable_if_filled', [], 'never'],
    ['an empty text is not', 'immutable_if_filled', '', 'never'],
    ['zero is', 'immutable_if_filled', '0x0', 'immutable'],
    ['empty bytes are', 'immutable_if_filled', '0x', 'immutable'],
    ['false is', 'immutable_if_filled', false, 'immutable'],
    ['an empty object is', 'immutable_if_filled', {}, 'immutable'],
    ['a final transaction is', 'immutable_if_final', { blockNumber: hex(900) }, 'immutable'],
    [
      'a younger one is until the head moves',
      'immutable_if_final',
      { blockNumber: hex(901) },
      'head',
    ],
    ['one that waits is not', 'immutable_if_final', { blockNumber: null }, 'never'],
    ['one without a block is not', 'immutable_if_final', { hash: HASH }, 'never'],
    ['a missing one is not', 'immutable_if_final', null, 'never'],
    ['text for a transaction is not', 'immutable_if_final', 'pending', 'never'],
    ['at the head null is an answer like any other', 'head', null, 'head'],
    ['what may not be kept is not', 'never', '0x1', 'never'],
  ] as const)('%s', (_title, keep, value, kept) => {
    expect(policyForResult(keep, value, HEAD)).toBe(kept)
  })

  test('a transaction is not final while nobody says what is', () => {
    const value = { blockNumber: hex(1) }
    expect(policyForResult('immutable_if_final', value, { ...HEAD, finalized: null })).toBe('head')
  })
})

describe('the block a call needs its node to have', () => {
  test.each([
    ['eth_getBalance', [ADDRESS, hex(77)], 77],
    ['eth_getBalance', [ADDRESS, { blockNumber: hex(78) }], 78],
    ['eth_getBalance', [ADDRESS, 'latest'], null],
    ['eth_getBlockByNumber', [hex(5), false], 5],
    ['eth_getLogs', [{ fromBlock: hex(3), toBlock: hex(9) }], 9],
    ['eth_getLogs', [{ fromBlock: hex(3), toBlock: 'latest' }], 3],
    ['eth_getLogs', [{ blockHash: HASH }], null],
    ['eth_getLogs', [], null],
    ['eth_blockNumber', [], null],
  ] as const)('%s %j: %p', (name, params, height) => {
    expect(heightWanted(methods.find(name), params)).toBe(height)
  })
})
