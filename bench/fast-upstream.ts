import { serveUntilClosed } from './serve-until-closed.ts'

/**
 * The node every contender is measured against: answers at once, with the id it
 * was asked under. Prints its port, ends when its standard input does.
 */
const BIG_CHUNK = 64 * 1024

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.argv[2] ?? 0),
  idleTimeout: 255,
  fetch: async (request) => {
    const text = await request.text()
    if (text.charCodeAt(0) === 91) return batchAnswer(text)
    const at = text.indexOf('"id":') + 5
    const id = text.slice(at, text.indexOf(',', at))
    if (text.includes('"eth_getBlockByNumber"'))
      return json(`{"jsonrpc":"2.0","id":${id},"result":${BLOCK}}`)
    const big = /"eth_getLogs","params":\[\{"bytes":(\d+),"waitMs":(\d+)/.exec(text)
    if (big) {
      await Bun.sleep(Number(big[2]))
      return bigAnswer(id, Number(big[1]))
    }
    if (text.includes('"eth_chainId"')) return json(`{"jsonrpc":"2.0","id":${id},"result":"0x1"}`)
    return json(`{"jsonrpc":"2.0","id":${id},"result":"0x1234567890abcdef"}`)
  },
})

const BLOCK = `{"number":"0x3e8","hash":"0x${'ab'.repeat(32)}","timestamp":"0x${Math.floor(Date.now() / 1000).toString(16)}"}`

await serveUntilClosed(server.port)

function json(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

function batchAnswer(text: string): Response {
  const calls = JSON.parse(text) as { id: number }[]
  const answers = calls.map(
    ({ id }) => `{"jsonrpc":"2.0","id":${id},"result":"0x1234567890abcdef"}`,
  )
  return json(`[${answers.join(',')}]`)
}

/** A list of log-like objects of the wanted size, made as it is read, in pieces as nodes write. */
function bigAnswer(id: string, bytes: number): Response {
  const log = `{"address":"0x${'12'.repeat(20)}","data":"0x${'34'.repeat(64)}","topics":["0x${'56'.repeat(32)}"]}`
  const logs = `${log},`.repeat(Math.floor(BIG_CHUNK / log.length))
  const encoder = new TextEncoder()
  const chunk = encoder.encode(logs)
  const first = encoder.encode(`{"jsonrpc":"2.0","id":${id},"result":[${logs}`)
  const last = encoder.encode(`${log}]}`)
  let left = Math.ceil(bytes / chunk.length)
  let begun = false
  const body = new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(begun ? chunk : first)
      else {
        controller.enqueue(last)
        controller.close()
      }
      begun = true
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
