import { describe, expect, test } from 'bun:test'
import { openMethodRegistry } from '../method-registry.ts'
import { type DissentFacts, isFairDissent } from './fair-dissent.ts'

const evm = openMethodRegistry('evm')
const solana = openMethodRegistry('solana')

function fair(method: string, facts: Partial<DissentFacts> = {}): boolean {
  return isFairDissent({
    kind: 'evm',
    method: evm.find(method),
    isNull: false,
    height: 1000,
    finalized: 900,
    standsAtHead: false,
    nodeHeight: 1000,
    slot: null,
    agreedSlots: [],
    ...facts,
  })
}

const ofSolana = (method: string, slot: string | null, agreedSlots: (string | null)[]) =>
  fair(method, { kind: 'solana', method: solana.find(method), slot, agreedSlots })

describe('an answer unlike the others is held against its node', () => {
  test.each([
    ['at the head that all agree on', fair('eth_getBalance', { standsAtHead: true })],
    ['about a block that is final', fair('eth_getBalance', { height: 900 })],
    ['about a block far below its head', fair('eth_call', { height: 992, finalized: null })],
    ['about a block by its hash', fair('eth_getBlockByHash', { height: null })],
    ['about the network', fair('eth_chainId', { height: null, nodeHeight: null })],
    ['of the same slot', ofSolana('getBalance', '7', ['7', '8'])],
    ['about a slot of the past', ofSolana('getBlock', null, [null])],
  ])('%s', (_title, isFair) => {
    expect(isFair).toBe(true)
  })
})

describe('an honest node may differ', () => {
  test.each([
    ['that stands elsewhere', fair('eth_getBalance')],
    ['that has told no head', fair('eth_call', { nodeHeight: null })],
    ['that has not got it', fair('eth_getBlockByHash', { isNull: true })],
    ['about a transaction that moves', fair('eth_getTransactionReceipt', { height: null })],
    ['at another slot', ofSolana('getBalance', '9', ['7', '8'])],
    ['about the moment', ofSolana('getSlot', null, [null])],
  ])('%s', (_title, isFair) => {
    expect(isFair).toBe(false)
  })
})
