// Receives deliveries on http://localhost:3000/hook, with `headgate/receiver` and Node's own server:
//
//   SIGNING_KEY=whsec_… npx bun examples/receivers/typescript/receiver.ts
//
// GET /blocks shows the chain as the deliveries tell it.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DataDelivery, openReceiver } from 'headgate/receiver'

/** Results go up to 10 MB. */
const BODY_BYTES_MAX = 11_000_000

/** The blocks that are kept, which a real app would do in its database. */
const BLOCKS_MAX = 100_000

const blocks = new Map<number, string>()

const receiver = openReceiver({
  // Two keys, with a comma between them, while one replaces the other.
  signingKeys: (process.env.SIGNING_KEY ?? '').split(','),
  acceptUntimed: process.env.ACCEPT_UNTIMED === '1',
  onDelivery(delivery, { missing }) {
    if (delivery.kind === 'error') return console.error(`Headgate says: ${delivery.error}`)
    if (missing !== null) console.warn(`${missing} has not come yet`)
    save(delivery)
  },
})

/** Is called once for each delivery, and never with an older version of a block after a newer one. */
function save({ blockNumber, data, sequenceNumber }: DataDelivery): void {
  if (blockNumber === null) return console.log(`a result (${sequenceNumber})`)
  const { hash = '' } = (data as { block: { hash?: string } }).block
  const isRerun = blocks.has(blockNumber)
  blocks.set(blockNumber, hash)
  for (const oldest of blocks.keys()) {
    if (blocks.size <= BLOCKS_MAX) break
    blocks.delete(oldest)
  }
  console.log(`block ${blockNumber}${isRerun ? ' again' : ''}: ${hash} (${sequenceNumber})`)
}

const server = createServer(async (request, response) => {
  const answer = (status: number, text: string) => response.writeHead(status).end(`${text}\n`)
  const asked = `${request.method} ${request.url}`
  if (asked === 'GET /blocks') return answer(200, JSON.stringify(Object.fromEntries(blocks)))
  if (asked !== 'POST /hook') return answer(404, 'POST /hook, or GET /blocks')
  try {
    const body = await bodyOf(request)
    if (body === null) return answer(413, 'too large')
    const received = await receiver.receive({ body, headers: request.headersDistinct })
    if (received.kind === 'refused') console.warn(`refused: ${received.refusal.message}`)
    answer(received.status, received.kind)
  } catch (thrown) {
    // A 500, so that the delivery comes again.
    console.error(thrown)
    answer(500, 'failed')
  }
})

/** The bytes as they were sent, which are what is signed; null when there are too many. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(`waiting for deliveries at http://127.0.0.1:${port}/hook`)
})
