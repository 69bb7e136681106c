import { afterAll, afterEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWalletClient, type Hex, http, parseGwei } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { systemClock } from '../../packages/devnet/src/clock.ts'
import { type EvmChain, startEvmChain } from '../../packages/devnet/src/evm/evm-chain.ts'
import { until } from '../support/basics/until.ts'
import { canonical, FIRST, forkableCalls, SECOND } from '../support/devnet/forkable-calls.ts'

/** Keeps the second word of its data in the slot of the first: SSTORE(data[0], data[32]). */
const KEEPER = '0x6007600a5f3960075ff36020355f355500'
/** Creates a contract with a value that ends in the same transaction, for the first account. */
const SHORT_LIVED = `0x73${FIRST.slice(2)}ff`

type Running = ReturnType<typeof forkableCalls> & { process: EvmChain }

const folders = mkdtempSync(join(tmpdir(), 'headgate-kept-'))
let folder = ''
let chain: Running

afterEach(() => chain.process.stop())
afterAll(() => rmSync(folders, { recursive: true }))

async function start(): Promise<void> {
  const process = await startEvmChain({ clock: systemClock(), blockTimeMs: 0, folder })
  chain = { process, ...forkableCalls(process) }
}

function startAnew(): Promise<void> {
  folder = mkdtempSync(join(folders, 'chain-'))
  return start()
}

async function restart(): Promise<void> {
  await chain.process.stop()
  await start()
}

test('each kind of state is what it was, at every height', async () => {
  await startAnew()
  const wallet = await chain.fundedWallet()
  const keeper = await created(KEEPER)
  await keep(keeper, 5, 7)
  await keep(keeper, 6, 8)
  await keep(keeper, 5, 0)
  const ended = await created(SHORT_LIVED, '0x9')
  const emptied = await empty()
  await delegate(wallet, keeper)
  await delegate(wallet, `0x${'0'.repeat(40)}`)
  await byHand('hardhat_setStorageAt', keeper, '0x7', word(9))
  await byHand('hardhat_setCode', SECOND, '0x5f5ff3')
  await byHand('hardhat_setNonce', SECOND, '0x99')

  const accounts = [FIRST, SECOND, keeper, ended, emptied, wallet.account.address]
  const before = await stateOf(accounts)
  // Most of these blocks have changed something that is looked at.
  expect(new Set(before.map((at) => at.join())).size).toBeGreaterThan(10)
  await restart()
  expect(await stateOf(accounts)).toEqual(before)
  // A second start reads what the first wrote after it had begun from the archive itself.
  await keep(keeper, 6, 0)
  const later = await stateOf(accounts)
  await restart()
  expect(await stateOf(accounts)).toEqual(later)
})

test('a chain that was killed goes on from one of its last blocks', async () => {
  await startAnew()
  await chain.send()
  const before = canonical(await chain.mine(20))
  process.kill(chain.process.pid, 'SIGKILL')
  await chain.process.exited
  await start()
  const { head } = await chain.state()
  expect(before.get(head.number)).toBe(head.hash)
  await chain.mine(2)
  await chain.expectLinked(await chain.state())
})

test('what was taken back is not there after the next start', async () => {
  await startAnew()
  await chain.mine(2)
  await chain.call('hardhat_setBalance', [SECOND, '0x1'])
  const snapshot = await chain.call('evm_snapshot')
  await chain.call('hardhat_setBalance', [SECOND, '0x2'])
  const gone = await chain.send()
  await chain.mine(3)
  expect(await chain.call<boolean>('evm_revert', [snapshot])).toBe(true)
  const kept = await chain.call<string>('eth_getBlockByNumber', ['latest', true])

  await restart()
  expect(await chain.call<string>('eth_getBlockByNumber', ['latest', true])).toEqual(kept)
  expect(await chain.call<string>('eth_getBalance', [SECOND, 'latest'])).toBe('0x1')
  expect(await chain.receiptOf(gone)).toBeNull()
})

test('transactions of an earlier run are mined again under their hashes, waiting ones too', async () => {
  await startAnew()
  const wallet = await chain.fundedWallet()
  await chain.mine(1)
  const signed = await wallet.sendTransaction({ to: SECOND, value: 1n })
  const owned = await chain.send()
  await chain.mine(2)
  const waiting = await wallet.sendTransaction({ to: SECOND, value: 2n })

  await restart()
  expect((await chain.state()).pendingTransactions).toBe(1)
  const { head } = await chain.reorganise({ depth: 2 })
  const receipts = await Promise.all([signed, owned, waiting].map(chain.receiptOf))
  // Two blocks were replaced by three, and the last of these has the one that was waiting.
  expect(receipts.map((receipt) => head.number - Number(receipt?.blockNumber))).toEqual([2, 2, 0])
  await chain.expectLinked(await chain.state())
})

test('listeners hear the blocks that replace those of an earlier run, under their old ids', async () => {
  await startAnew()
  await chain.mine(40)
  await restart()
  const heard: { subscription: string; result: { number: string; hash: string } }[] = []
  const ids: string[] = []
  const socket = new WebSocket(chain.process.wsUrl)
  socket.onmessage = ({ data }) => {
    const { result, params } = JSON.parse(String(data))
    if (params === undefined) ids.push(result)
    else heard.push(params)
  }
  const subscribe = () =>
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  socket.onopen = subscribe
  await until(() => ids.length === 1, 'the first subscription has its id')
  const first = await chain.reorganise({ depth: 5 })
  const second = await chain.reorganise({ depth: 32 })
  subscribe()
  await until(() => ids.length === 2, 'the second subscription has its id')
  expect(new Set(ids).size).toBe(2)
  const last = await chain.mine(1)

  const heads = (id = '') => heard.filter((one) => one.subscription === id)
  await until(
    () => ids.every((id) => heads(id).at(-1)?.result.hash === last.head.hash),
    'the last block is heard by both',
  )
  expect(heads(ids[1])).toHaveLength(1)
  expect(heads(ids[0])).toHaveLength(6 + 33 + 1)
  expect(heads(ids[0]).map(({ result }) => result.hash)).toContain(first.head.hash)
  expect(heads(ids[0]).at(-2)?.result.hash).toBe(second.head.hash)
  expect(heads(ids[1])[0]?.result.hash).toBe(last.head.hash)
  socket.close()
})

test('time passes between two runs, and stays moved on where it was', async () => {
  await startAnew()
  const first = (await chain.mine(1)).blocks.at(-1)?.timeMs ?? 0
  await until(() => Date.now() > first + 2000, 'a second has passed')
  await restart()
  expect(await chain.call<string>('evm_increaseTime', [0])).toBe('0')
  await chain.call('evm_increaseTime', [30 * 86_400])
  const before = (await chain.mine(1)).blocks.at(-1)?.timeMs ?? 0
  await restart()
  const after = (await chain.mine(40)).blocks.at(-1)?.timeMs ?? 0
  expect(after).toBeGreaterThanOrEqual(before)
  expect(after).toBeLessThan(before + 600_000)
})

test('blocks that were mined in one step are kept, and can be taken back', async () => {
  await startAnew()
  await chain.call('hardhat_mine', ['0xc8', '0x3'])
  const before = canonical(await chain.state())
  await restart()
  expect(canonical(await chain.state())).toEqual(before)
  const { head } = await chain.reorganise({ depth: 32 })
  expect(head.number).toBe(201)
})

test('where nothing can be kept the chain is in memory alone, and the folder is as it was', async () => {
  folder = join(mkdtempSync(join(folders, 'chain-')), 'file')
  writeFileSync(folder, 'not a folder')
  await start()
  expect((await chain.mine(2)).head.number).toBe(2)
  await restart()
  expect((await chain.state()).head.number).toBe(0)
  expect(readdirSync(join(folder, '..'))).toEqual(['file'])
})

/** Sends it, mines it, and tells where the contract is. */
async function created(data: string, value = '0x0'): Promise<Hex> {
  const params = [{ from: FIRST, data, value, gas: '0x186a0' }]
  const hash = await chain.call<string>('eth_sendTransaction', params)
  await chain.mine(1)
  const receipt = await chain.call<{ contractAddress: Hex; status: string }>(
    'eth_getTransactionReceipt',
    [hash],
  )
  expect(receipt.status).toBe('0x1')
  return receipt.contractAddress
}

async function keep(keeper: string, slot: number, value: number): Promise<void> {
  const data = word(slot) + word(value).slice(2)
  await chain.call('eth_sendTransaction', [{ from: FIRST, to: keeper, data, gas: '0x186a0' }])
  await chain.mine(1)
}

/** An account that has spent everything, to the last wei. */
async function empty(): Promise<string> {
  const account = privateKeyToAccount(generatePrivateKey())
  const cost = 21_000n * parseGwei('10')
  await byHand('hardhat_setBalance', account.address, `0x${(cost + 5n).toString(16)}`)
  const wallet = createWalletClient({ account, chain: foundry, transport: http(chain.process.url) })
  await wallet.sendTransaction({ to: SECOND, value: 5n, gasPrice: parseGwei('10'), gas: 21_000n })
  await chain.mine(1)
  expect(await chain.call<string>('eth_getBalance', [account.address, 'latest'])).toBe('0x0')
  return account.address
}

/** The account borrows the code of a contract, or gives it back. */
async function delegate(
  wallet: Awaited<ReturnType<Running['fundedWallet']>>,
  contractAddress: Hex,
): Promise<void> {
  const { account } = wallet
  const authorization = await wallet.signAuthorization({
    account,
    contractAddress,
    executor: 'self',
  })
  await wallet.sendTransaction({ to: account.address, authorizationList: [authorization] })
  await chain.mine(1)
  const code = await chain.call<string>('eth_getCode', [account.address, 'latest'])
  expect(code).toBe(BigInt(contractAddress) === 0n ? '0x' : `0xef0100${contractAddress.slice(2)}`)
}

async function byHand(method: string, ...params: string[]): Promise<void> {
  await chain.call(method, params)
  await chain.mine(1)
}

/** All parts of the accounts after each block. */
async function stateOf(accounts: readonly string[]): Promise<string[][]> {
  const { head } = await chain.state()
  const heights = Array.from({ length: head.number + 1 }, (_, at) => `0x${at.toString(16)}`)
  const partsAt = (tag: string) =>
    accounts.flatMap((address) => [
      chain.call<string>('eth_getBalance', [address, tag]),
      chain.call<string>('eth_getTransactionCount', [address, tag]),
      chain.call<string>('eth_getCode', [address, tag]),
      ...[5, 6, 7].map((slot) =>
        chain.call<string>('eth_getStorageAt', [address, word(slot), tag]),
      ),
    ])
  return Promise.all(heights.map((tag) => Promise.all(partsAt(tag))))
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}
