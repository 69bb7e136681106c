import { describe, expect, test } from 'bun:test'
import { type MethodRegistry, openMethodRegistry } from './method-registry.ts'
import { methodRows } from './method-table.ts'

const evm = openMethodRegistry('evm')
const solana = openMethodRegistry('solana')

describe('prices, section 3 of the contract, in hundredths of a compute unit', () => {
  test.each([
    ['eth_chainId', 0, 0],
    ['net_version', 0, 0],
    ['eth_syncing', 0, 0],
    ['net_listening', 0, 0],
    ['eth_blockNumber', 1000, 1000],
    ['eth_feeHistory', 1000, 1000],
    ['eth_maxPriorityFeePerGas', 1000, 1000],
    ['eth_blobBaseFee', 1000, 1000],
    ['eth_accounts', 1000, 1000],
    ['eth_gasPrice', 2000, 2000],
    ['eth_getBalance', 2000, 2000],
    ['eth_getBlockByNumber', 2000, 2000],
    ['eth_getTransactionReceipt', 2000, 2000],
    ['eth_getBlockReceipts', 2000, 50_000],
    ['eth_call', 2600, 2600],
    ['eth_sendRawTransaction', 4000, 25_000],
    ['eth_getLogs', 6000, 6000],
    ['debug_traceTransaction', 4000, 100_000],
    ['debug_traceBlockByHash', 4000, 100_000],
    ['trace_block', 4000, 4000],
    ['trace_replayTransaction', 8000, 300_000],
    ['trace_replayBlockTransactions', 8000, 300_000],
    ['web3_clientVersion', 2000, 2000],
    ['arbtrace_block', 2000, 2000],
  ])('%s', (name, billedCentiCu, throughputCentiCu) => {
    expect(evm.find(name)).toMatchObject({ billedCentiCu, throughputCentiCu })
  })

  test.each([
    ['getAccountInfo', 1000],
    ['getBalance', 1000],
    ['getTokenAccountsByOwner', 1000],
    ['getProgramAccounts', 2000],
    ['getSlot', 2000],
    ['getTransaction', 4000],
    ['getBlock', 4000],
    ['getSignaturesForAddress', 4000],
    ['getSupply', 16_000],
    ['getLargestAccounts', 300_000],
    ['sendTransaction', 2000],
    ['brandNewMethod', 2000],
  ])('%s on Solana', (name, centiCu) => {
    const price = { billedCentiCu: centiCu, throughputCentiCu: centiCu }
    expect(solana.find(name)).toMatchObject(price)
  })

  test('are whole numbers for every row, so that sums stay exact', () => {
    for (const kind of ['evm', 'solana'] as const) {
      const methods = openMethodRegistry(kind)
      for (const { name } of methodRows(kind)) {
        const method = methods.find(name.replace('*', 'Anything'))
        expect(Number.isInteger(method.billedCentiCu)).toBe(true)
        expect(Number.isInteger(method.throughputCentiCu)).toBe(true)
      }
    }
  })
})

describe('prices set by configuration', () => {
  const methods = openMethodRegistry('evm', {
    prices: {
      eth_call: { cu: 30 },
      eth_getLogs: { cu: 75.5, throughputCu: 100 },
      'debug_*': { cu: 1 },
      'debug_trace*': { cu: 0.04, throughputCu: 2 },
      my_method: { cu: 7 },
    },
  })

  test.each([
    ['win over the table', 'eth_call', 3000, 3000],
    ['may be fractions of a unit', 'eth_getLogs', 7550, 10_000],
    ['hold for a prefix', 'debug_getRawBlock', 100, 100],
    ['hold for the longest prefix that fits', 'debug_traceCall', 4, 200],
    ['hold for methods nobody listed', 'my_method', 700, 700],
    ['leave the others alone', 'eth_gasPrice', 2000, 2000],
  ])('%s', (_title, name, billedCentiCu, throughputCentiCu) => {
    expect(methods.find(name)).toMatchObject({ billedCentiCu, throughputCentiCu })
  })

  test('do not come from what every object has', () => {
    const method = openMethodRegistry('evm', {}).find('constructor')
    expect(method).toMatchObject({ billedCentiCu: 2000, throughputCentiCu: 2000 })
  })

  test('change nothing about how a method may be repeated', () => {
    const methods = openMethodRegistry('evm', { prices: { eth_sendRawTransaction: { cu: 1 } } })
    expect(methods.find('eth_sendRawTransaction').safety).toBe('idempotent')
  })
})

describe('how a call may be repeated', () => {
  test.each([
    ['eth_getBalance', 'read'],
    ['eth_call', 'read'],
    ['eth_estimateGas', 'read'],
    ['debug_traceCall', 'read'],
    ['eth_sendRawTransaction', 'idempotent'],
    ['eth_sendTransaction', 'write'],
    ['eth_signTransaction', 'write'],
    ['debug_setHead', 'write'],
    ['evm_mine', 'write'],
    ['miner_start', 'write'],
    ['personal_unlockAccount', 'write'],
    ['hardhat_setBalance', 'write'],
    ['eth_sendUserOperation', 'write'],
    ['eth_sendBundle', 'write'],
    ['eth_sendPrivateTransaction', 'write'],
    ['eth_sendRawTransactionSync', 'write'],
    ['eth_sendRawTransactionConditional', 'write'],
    ['eth_submitWork', 'write'],
    ['eth_resend', 'write'],
    ['eth_cancelPrivateTransaction', 'write'],
    ['eth_protocolVersion', 'read'],
    ['net_peerCount', 'read'],
    ['zks_getL1BatchDetails', 'read'],
    ['alchemy_getTokenBalances', 'read'],
    ['eth_newFilter', 'filter'],
    ['eth_getFilterChanges', 'filter'],
    ['eth_uninstallFilter', 'filter'],
  ] as const)('%s is a %s', (name, safety) => {
    expect(evm.find(name).safety).toBe(safety)
  })

  test.each([
    ['getLatestBlockhash', 'read'],
    ['simulateTransaction', 'read'],
    ['isBlockhashValid', 'read'],
    ['sendTransaction', 'write'],
    ['requestAirdrop', 'write'],
    ['sendBundle', 'write'],
  ] as const)('%s on Solana is a %s', (name, safety) => {
    expect(solana.find(name).safety).toBe(safety)
  })
})

describe('the name of a method in ledger and metrics', () => {
  /** As after a call that a node has answered with a result. */
  const provenIn = (methods: MethodRegistry, name: string) => methods.prove(methods.find(name))

  test('is its own once a node has served it', () => {
    const methods = openMethodRegistry('evm')
    expect(methods.find('zks_estimateFee')).toMatchObject({ label: 'other', isUnproven: true })
    expect(provenIn(methods, 'zks_estimateFee')).toBe('zks_estimateFee')
    const known = { label: 'zks_estimateFee', refusedLabel: 'other', isUnproven: false }
    expect(methods.find('zks_estimateFee')).toMatchObject(known)
  })

  test('is its own from the beginning where the table has it', () => {
    const known = { label: 'eth_call', refusedLabel: 'eth_call', isUnproven: false }
    expect(evm.find('eth_call')).toMatchObject(known)
  })

  test.each([
    ['a space', 'eth_call '],
    ['a line break', 'eth_\ncall'],
    ['markup', '<script>'],
    ['65 characters', 'a'.repeat(65)],
    ['a megabyte', 'x'.repeat(1_000_000)],
  ])('is `other` for a name with %s', (_title, name) => {
    expect(evm.find(name).label).toBe('other')
    expect(provenIn(evm, name)).toBe('other')
    expect(evm.find(name).label).toBe('other')
  })

  test('is bounded, whatever callers invent and nodes serve', () => {
    const methods = openMethodRegistry('evm')
    const labels = new Set<string>()
    for (let at = 0; at < 5000; at++) labels.add(provenIn(methods, `made_up${at}`))
    expect(labels.size).toBe(201)
    expect(methods.find('eth_call').label).toBe('eth_call')
    expect(methods.find('made_up4999')).toMatchObject({ label: 'other', billedCentiCu: 2000 })
  })

  test.each(['web3_clientVersion', 'debug_traceCall', 'trace_block', 'txpool_status'])(
    'of %s is not taken by invented ones of other families',
    (name) => {
      const methods = openMethodRegistry('evm')
      const [family] = name.split('_')
      for (let at = 0; at < 1000; at++) {
        for (const other of ['made', 'eth', 'net', 'debug', 'trace', 'web3', 'txpool']) {
          if (other !== family) provenIn(methods, `${other}_up${at}`)
        }
      }
      expect(provenIn(methods, name)).toBe(name)
    },
  )

  test('is not taken by names that no node has served', () => {
    const methods = openMethodRegistry('evm')
    for (let at = 0; at < 5000; at++) methods.find(`debug_up${at}`)
    expect(provenIn(methods, 'debug_traceCall')).toBe('debug_traceCall')
  })

  test('never changes the name that is asked of the node', () => {
    expect(evm.find('weird method').name).toBe('weird method')
  })
})

describe('paid tiers only', () => {
  test.each([
    ['getProgramAccounts', true],
    ['getProgramAccountsV2', true],
    ['getAccountInfo', false],
  ])('%s', (name, paidOnly) => {
    expect(solana.find(name).paidOnly).toBe(paidOnly)
  })
})

describe('a price that grows with the blocks looked at', () => {
  const head = { number: 1_000_000, finalized: null }
  const logs = (fromBlock: string, toBlock = 'latest') => ({
    method: 'eth_getLogs',
    params: [{ fromBlock, toBlock }],
  })

  test.each([
    ['0x1', '0x7d0', 6000],
    ['0x1', '0x7d1', 7000],
    ['0x1', '0x186a0', 55_000],
    ['0x0', 'latest', 506_000],
    ['0x0', '0xffffffffffff', 506_000],
  ])('from %s to %s it is %d hundredths of a CU, billed and for the rate', (from, to, centiCu) => {
    const method = evm.priced(logs(from, to), head)
    expect([method.billedCentiCu, method.throughputCentiCu]).toEqual([centiCu, centiCu])
    expect(method.label).toBe('eth_getLogs')
  })

  test('is configuration, each part by itself', () => {
    const prices = { eth_getLogs: { cu: 1, throughputCu: 2, scanCu: 0.5 } }
    const method = openMethodRegistry('evm', { prices }).priced(logs('0x1', '0x1770'), head)
    expect([method.billedCentiCu, method.throughputCentiCu]).toEqual([200, 300])
    const kept = openMethodRegistry('evm', { prices: { 'eth_*': { cu: 1 } } })
    expect(kept.priced(logs('0x1', '0x1770'), head).billedCentiCu).toBe(2100)
  })

  test('is the same object, and price, for everything else', () => {
    const call = { method: 'eth_call', params: [{ fromBlock: '0x0' }] }
    expect(evm.priced(call, head)).toBe(evm.find('eth_call'))
    expect(evm.priced(logs('0x0'), null)).toBe(evm.find('eth_getLogs'))
  })
})
