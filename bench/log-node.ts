import { addToBloom, BLOOM_BYTES, openBloomBits } from '../src/core/chain/logs-bloom.ts'
import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * A node with a log in every fourth block. It takes its time for eth_getLogs, as real ones do, and
 * refuses long ranges, except at the path /all. Prints its port, ends with its standard input.
 */
const [, , blocksMax = '2000', answerMs = '50'] = process.argv

const LOG_EVERY = 4
const HEAD = 1_000_000
const ADDRESS = `0x${'12'.repeat(20)}`
const TOPIC = `0x${'56'.repeat(32)}`
const PARTIES = `"0x${'0'.repeat(24)}${'ab'.repeat(20)}","0x${'0'.repeat(24)}${'cd'.repeat(20)}"`

const bloom = new Uint8Array(BLOOM_BYTES)
for (const key of [ADDRESS, TOPIC]) addToBloom(bloom, key, openBloomBits())
const blooms = [`0x${'0'.repeat(512)}`, `0x${bloom.toHex()}`]

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  fetch: async (request) => {
    const { id, method, params } = (await request.json()) as Rpc
    const member = await answer(method, params, request.url.endsWith('/all'))
    const headers = { 'content-type': 'application/json' }
    return new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`, { headers })
  },
})

await serveUntilClosed(server.port)

type Rpc = { id: unknown; method: string; params: [unknown] }

async function answer(method: string, [given]: Rpc['params'], isWhole: boolean): Promise<string> {
  if (method === 'eth_chainId') return '"result":"0x1"'
  if (method !== 'eth_getLogs') return `"result":${block(heightOf(String(given)))}`
  const { fromBlock, toBlock } = given as { fromBlock: string; toBlock: string }
  const [from, to] = [Number(fromBlock), Number(toBlock)]
  if (!isWhole && to - from >= Number(blocksMax)) {
    return `"error":{"code":-32602,"message":"block range too large, max ${blocksMax}"}`
  }
  await Bun.sleep(Number(answerMs))
  const logs: string[] = []
  for (let number = from; number <= to; number++) {
    if (number % LOG_EVERY === 0) logs.push(log(number))
  }
  return `"result":[${logs.join()}]`
}

function heightOf(tag: string): number {
  if (tag === 'latest') return HEAD
  return tag === 'finalized' ? HEAD - 64 : Number(tag)
}

function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, '0')}`
}

function block(number: number): string {
  const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`
  const logsBloom = blooms[number % LOG_EVERY === 0 ? 1 : 0]
  const names = { hash: hashOf(number), parentHash: hashOf(number - 1) }
  return JSON.stringify({ number: `0x${number.toString(16)}`, ...names, timestamp, logsBloom })
}

function log(number: number): string {
  return (
    `{"address":"${ADDRESS}","topics":["${TOPIC}",${PARTIES}],"data":"0x${'0'.repeat(63)}1",` +
    `"blockNumber":"0x${number.toString(16)}","transactionHash":"${hashOf(number + 1)}",` +
    `"transactionIndex":"0x0","blockHash":"${hashOf(number)}","logIndex":"0x0","removed":false}`
  )
}
