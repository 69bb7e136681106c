import { benchBlock } from './query-material.ts'
import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * A node that serves one big block under ever new numbers and hashes, and announces it by
 * newHeads when told to with `bench_mine`. Answers are made before it announces. Prints its
 * port, ends when its standard input does.
 */
const { raw } = benchBlock()
const FIRST_NUMBER = 1000
/** Blocks that can still be asked for. */
const KEPT = 8

type Texts = { header: string; block: string; receipts: string; traces: string }
type Call = { id: number; method: string; params: [unknown?, unknown?] }

const parts = {
  block: JSON.stringify(raw.block),
  receipts: JSON.stringify(raw.receipts),
  traces: JSON.stringify(raw.traces),
}
const byHash = new Map<string, Texts>()
const byNumber = new Map<string, Texts>()
let head = FIRST_NUMBER - 1
let latest = mine()

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  async fetch(request, self) {
    if (request.headers.get('upgrade') && self.upgrade(request)) return undefined
    const call = (await request.json()) as Call
    return new Response(`{"jsonrpc":"2.0","id":${call.id},"result":${resultOf(call)}}`, {
      headers: { 'content-type': 'application/json' },
    })
  },
  websocket: {
    message(socket, message) {
      const { id, method } = JSON.parse(String(message)) as Call
      // Its chain's id and the subscription's look the same.
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
      if (method === 'eth_subscribe') socket.subscribe('heads')
    },
  },
})

await serveUntilClosed(server.port)

function resultOf({ method, params: [first, second] }: Call): string {
  const known = byHash.get(String(first)) ?? byNumber.get(String(first))
  if (method === 'eth_chainId') return '"0x1"'
  if (method === 'bench_prepare') {
    latest = mine()
    return `"${hashOf(head)}"`
  }
  if (method === 'bench_announce') {
    const news = { subscription: '0x1', result: JSON.parse(latest.header) }
    const message = { jsonrpc: '2.0', method: 'eth_subscription', params: news }
    server.publish('heads', JSON.stringify(message))
    return 'true'
  }
  if (method === 'eth_getBlockByNumber' && first === 'latest') return latest.header
  if (method.startsWith('eth_getBlockBy')) return (second ? known?.block : known?.header) ?? 'null'
  if (method === 'eth_getBlockReceipts') return known?.receipts ?? 'null'
  if (method === 'debug_traceBlockByHash') return known?.traces ?? 'null'
  return 'null'
}

/** The block again as the next one of its chain. */
function mine(): Texts {
  head++
  const number = `0x${head.toString(16)}`
  const renamed = (text: string) =>
    text
      .replaceAll(raw.block.parentHash, hashOf(head - 1))
      .replaceAll(raw.block.hash, hashOf(head))
      .replaceAll(`"${raw.block.number}"`, `"${number}"`)
  const block = renamed(parts.block)
  const { transactions, ...header } = JSON.parse(block)
  const timestamp = `0x${Math.floor(Date.now() / 1000).toString(16)}`
  const hashes = transactions.map(({ hash }: { hash: string }) => hash)
  const made = {
    header: JSON.stringify({ ...header, timestamp, transactions: hashes }),
    block,
    receipts: renamed(parts.receipts),
    traces: parts.traces,
  }
  byHash.set(hashOf(head), made)
  byNumber.set(number, made)
  byHash.delete(hashOf(head - KEPT))
  byNumber.delete(`0x${(head - KEPT).toString(16)}`)
  return made
}

function hashOf(number: number): string {
  return `0x${number.toString(16).padStart(64, 'b')}`
}
