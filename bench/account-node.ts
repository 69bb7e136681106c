import { decodeKey, encodeKey } from '../src/core/solana/base58.ts'
import { openRecordWriter } from '../src/core/solana/text/encodings.ts'
import { accountAt, sortedPrograms } from './account-material.ts'
import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * A Solana node that holds as many accounts of made-up programs as it is told to, nowhere but in
 * a formula. Its slots move on; nothing else does. Prints its port, ends when its standard input
 * does.
 */
const counts = process.argv.slice(2).map(Number)
const programs = new Map(sortedPrograms(counts).map((one) => [encodeKey(one.key), one]))

const SLOT_MS = 400
const FIRST_SLOT = 1000
const FINALITY_SLOTS = 32
const BATCH_RECORDS = 2000
const CLOCK_BYTES = 40
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111'

type Call = { id: number; method: string; params?: [string?, { dataSlice?: object }?] }

const startedMs = performance.now()
const slotNow = () => FIRST_SLOT + Math.floor((performance.now() - startedMs) / SLOT_MS)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 255,
  async fetch(request, self) {
    if (request.headers.get('upgrade') && self.upgrade(request)) return undefined
    const call = (await request.json()) as Call
    const body = call.method === 'getProgramAccounts' ? scan(call) : replyTo(call)
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  },
  websocket: {
    message(socket, message) {
      const { id, method } = JSON.parse(String(message)) as Call
      socket.send(`{"jsonrpc":"2.0","id":${id},"result":${id}}`)
      if (method === 'accountSubscribe') {
        socket.subscribe('clock')
        clockId = id
      }
    },
  },
})

let clockId = 0
let toldSlot = FIRST_SLOT - 1
setInterval(() => {
  for (const confirmed = slotNow() - 1; toldSlot < confirmed; ) {
    server.publish('clock', clockNews(++toldSlot))
  }
}, SLOT_MS / 4)

await serveUntilClosed(server.port)

function replyTo({ id, method, params = [] }: Call): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultOf(method, params as unknown[])}}`
}

function resultOf(method: string, params: readonly unknown[]): string {
  if (method === 'getGenesisHash') return `"${SYSVAR_OWNER}"`
  if (method === 'getHealth') return '"ok"'
  if (method === 'getSlot') return String(slotOf(params[0] as { commitment?: string }))
  if (method === 'getBlocks') {
    const [from, to, config] = params as [number, number?, { commitment?: string }?]
    const newest = slotOf(config)
    const last = Math.min(to ?? newest, newest)
    return JSON.stringify(
      Array.from({ length: Math.max(0, last - from + 1) }, (_, at) => from + at),
    )
  }
  return 'null'
}

function slotOf(config: { commitment?: string } | undefined): number {
  if (config?.commitment === 'processed') return slotNow()
  return config?.commitment === 'confirmed' ? slotNow() - 1 : slotNow() - FINALITY_SLOTS
}

function scan({ id, params = [] }: Call): ReadableStream<Uint8Array> {
  const [program = '', config] = params
  const { count = 0, key = decodeKey(program) } = programs.get(program) ?? {}
  const dataSlice = config?.dataSlice ? { offset: 0, length: 0 } : null
  const writer = openRecordWriter({ encoding: 'base64', dataSlice })
  const slot = slotNow() - 1
  let at = 0
  const encoder = new TextEncoder()
  return new ReadableStream({
    start(controller) {
      const head = `{"jsonrpc":"2.0","id":${id},"result":{"context":{"slot":${slot}},"value":[`
      controller.enqueue(encoder.encode(head))
    },
    pull(controller) {
      const end = Math.min(count, at + BATCH_RECORDS)
      for (; at < end; at++) writer.write(accountAt(key as Uint8Array, at, count))
      controller.enqueue(writer.take())
      if (at < count) return
      controller.enqueue(encoder.encode(']}}'))
      controller.close()
    },
  })
}

/** The ledger's clock, by which an index knows that a slot is over. */
function clockNews(slot: number): string {
  const data = Buffer.alloc(CLOCK_BYTES)
  data.writeBigUInt64LE(BigInt(slot), 0)
  data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1000)), CLOCK_BYTES - 8)
  const value =
    `{"data":["${data.toString('base64')}","base64"],"executable":false,"lamports":1,` +
    `"owner":"${SYSVAR_OWNER}","rentEpoch":18446744073709551615,"space":${CLOCK_BYTES}}`
  const result = `{"context":{"slot":${slot}},"value":${value}}`
  return `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":${result},"subscription":${clockId}}}`
}
