import { expect } from 'bun:test'
import { TEST_ACCOUNTS } from '../../../packages/devnet/src/evm/test-accounts.ts'
import { FORWARDER_BYTECODE, forwardTo, logsCode } from '../devnet/little-contracts.ts'
import { PING_BYTECODE } from '../devnet/ping-contract.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../product/headgate.ts'
import { dryRunsOf } from './dry-runs.ts'

export type QueriedChain = Awaited<ReturnType<typeof startQueriedChain>>

export const A = `0x${'aa'.repeat(32)}`
export const B = `0x${'bb'.repeat(32)}`

/** Topics of the logs that one transaction emits, in this order. */
export const EMITTED = [[], [A], [B], [A, B], [B, A], [A, A, B, B], [B, B], [A, B, A]]

/** Only gets money. */
export const NOBODY = `0x${'0e'.repeat(20)}`

export const [ALICE = '', BOB = '', CAROL = ''] = TEST_ACCOUNTS.map(([it]) => it.toLowerCase())

const GAS = '0x7a120'

/** So long that every block is made on command. */
const BLOCK_TIME_MS = 600_000

/** Headgate on its embedded chain, with one block in which all sorts of things happen. */
export async function startQueriedChain() {
  const env = { HEADGATE_DEVNET_BLOCK_TIME_MS: String(BLOCK_TIME_MS) }
  const headgate = await startHeadgate({ env })
  const chain = commandsOf(headgate)
  const deployed = [
    await chain.send({ from: ALICE, data: PING_BYTECODE }),
    await chain.send({ from: ALICE, data: FORWARDER_BYTECODE }),
  ]
  await chain.mine()
  const receipts = await Promise.all(deployed.map(chain.receiptOf))
  const [ping = '', forwarder = ''] = receipts.map(({ contractAddress }) => contractAddress)
  const sent = {
    pays: await chain.send({ from: ALICE, to: NOBODY, value: '0x7' }),
    emits: await chain.send({ from: ALICE, data: logsCode(EMITTED) }),
    forwards: await chain.send({ from: BOB, to: forwarder, value: '0x2a', data: forwardTo(ping) }),
    fails: await chain.send({ from: CAROL, to: ping, data: '0x00' }),
    failsInside: await chain.send({ from: CAROL, to: forwarder, data: forwardTo(ping, 1) }),
  }
  await chain.mine()
  const { blockNumber, blockHash } = await chain.receiptOf(sent.pays)
  const block = { number: Number(blockNumber), hash: String(blockHash) }
  const emitter = String((await chain.receiptOf(sent.emits)).contractAddress)
  const queries = queriesOn(headgate, block.number)
  return { ...chain, ...queries, headgate, ping, forwarder, emitter, sent, block }
}

function commandsOf({ post, running }: TestHeadgate) {
  const ask = async (method: string, params: unknown[] = []) => {
    const { json } = await post(rpc(method, params))
    if (json.error) throw new Error(JSON.stringify(json.error))
    return json.result
  }
  const headNumber = () => running.networks.list()[0]?.pool.selection.head?.number ?? -1
  return {
    ask,
    send: (transaction: Record<string, unknown>): Promise<string> =>
      ask('eth_sendTransaction', [{ gas: GAS, ...transaction }]),
    receiptOf: (hash: string) => ask('eth_getTransactionReceipt', [hash]),
    async mine() {
      await ask('evm_mine')
      const mined = Number(await ask('eth_blockNumber'))
      await until(() => headNumber() >= mined, 'the new block is the head')
    },
  }
}

function queriesOn(headgate: TestHeadgate, number: number) {
  const { testQuery, token } = dryRunsOf(headgate)
  /** The result of the query on the block in which all happened. */
  const run = async (graphql_query: string) => {
    const answer = await testQuery({ network: 'ETH_DEVNET', graphql_query, block: number })
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }
  return {
    testQuery,
    token,
    run,
    /** The items of one list of that block. */
    async rows(list: string) {
      const { data } = await run(`{ block { rows: ${list} } }`)
      return data.block.rows
    },
  }
}
