import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type EvmChain, startEvmChain } from '../../../packages/devnet/src/evm/evm-chain.ts'
import type { Block } from '../../../src/core/chain/block.ts'
import { systemClock } from '../../../src/system/machine/system-clock.ts'
import { PING_BYTECODE, PING_TOPIC } from '../../support/devnet/ping-contract.ts'
import { type BlockSource, openBlockSource } from '../../support/nodes/http-network.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

describe('on the embedded chain, a block', () => {
  let chain: EvmChain
  let network: BlockSource

  beforeAll(async () => {
    chain = await startEvmChain({ clock: systemClock(), blockTimeMs: 0 })
    network = await openBlockSource([chain.url], chain.chainId)
  })
  afterAll(async () => {
    network.stop()
    await chain.stop()
  })

  async function rpc<T>(method: string, ...params: unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await fetch(chain.url, { method: 'POST', body })
    const reply = (await answer.json()) as { result: T; error?: { message: string } }
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`)
    return reply.result
  }

  /** The address of a contract made by this account, in a block of its own. */
  async function deploy(from: string, data: string): Promise<string> {
    const hash = await rpc<string>('eth_sendTransaction', { from, data, gas: '0x7a120' })
    await rpc('evm_mine')
    const receipt = await rpc<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
    return receipt.contractAddress
  }

  test('with a transfer, a creation, a failure and calls within calls is read whole', async () => {
    const accounts = await rpc<string[]>('eth_accounts')
    const [transfers = '', creates = '', fails = '', relays = ''] = accounts
    const ping = await deploy(transfers, PING_BYTECODE)
    // Calls Ping with all that it was sent: CALL(gas, ping, value, 0, 0, 0, 0), STOP.
    const runtime = `5f5f5f5f3473${ping.slice(2)}5af100`
    const relay = await deploy(
      transfers,
      `0x60${(runtime.length / 2).toString(16)}600a5f3960${(runtime.length / 2).toString(16)}5ff3${runtime}`,
    )
    const send = (transaction: Record<string, string>) =>
      rpc<string>('eth_sendTransaction', { gas: '0x7a120', ...transaction })
    const hashes = [
      await send({ from: transfers, to: creates, value: '0x7' }),
      await send({ from: creates, data: PING_BYTECODE }),
      await send({ from: fails, to: ping, data: '0x01' }),
      await send({ from: relays, to: relay, value: '0x3' }),
    ]
    await rpc('evm_mine')
    const { number, hash } = await rpc<{ number: string; hash: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    const block = (await network.read({ number: Number(number), hash })) as Block

    const of = (index: number) => block.transactions.find((one) => one.hash === hashes[index])
    const framesOf = (index: number) =>
      block.traces.filter(({ transaction }) => transaction.hash === hashes[index])
    expect(block.transactionCount).toBe(4)
    expect(of(0)).toMatchObject({ from: transfers, to: creates, receipt: { status: '0x1' } })
    const created = String(of(1)?.receipt?.contractAddress)
    expect([of(1)?.to, created]).toEqual([null, expect.stringMatching(/^0x[0-9a-f]{40}$/)])
    expect(of(2)).toMatchObject({ receipt: { status: '0x0' }, logs: [] })
    expect(of(3)?.logs).toMatchObject([{ address: ping, topics: [PING_TOPIC] }])

    expect(framesOf(0).map(({ frame }) => frame.type)).toEqual(['CALL'])
    expect(framesOf(1).map(({ frame }) => frame.type)).toEqual(['CREATE'])
    expect(framesOf(1)[0]?.to).toBe(created)
    expect(framesOf(2)[0]?.frame).toMatchObject({
      error: 'execution reverted',
      revertReason: 'no entry',
    })
    expect(framesOf(3).map(({ to, path }) => [to, path])).toEqual([
      [relay, []],
      [ping, [of(3)?.index ?? -1]],
    ])
  })

  test('without transactions is read, and one it does not know is null', async () => {
    await rpc('evm_mine')
    const { number, hash } = await rpc<{ number: string; hash: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    expect(await network.read({ number: Number(number), hash })).toMatchObject({
      transactionCount: 0,
    })
    expect(await network.read({ number: Number(number), hash: `0x${'12'.repeat(32)}` })).toBeNull()
  })
})
