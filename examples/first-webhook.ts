// A webhook from its making to a reorganisation, on Headgate's own development chain:
//
//   npm start                              # in one terminal
//   npx bun examples/first-webhook.ts      # in another
//
// It takes address and keys from data/first-run.json, or from the file that FIRST_RUN names.
import { readFileSync } from 'node:fs'
import { type Delivery, openReceiver, type Receiver } from 'headgate/receiver'

const { url, team_token, app_key } = JSON.parse(
  readFileSync(process.env.FIRST_RUN ?? './data/first-run.json', 'utf8'),
)
const ALICE = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const BOB = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

// 1. A small receiver. `headgate/receiver` verifies the signatures and drops repeats.
const heard: Delivery[] = []
let receiver: Receiver | null = null
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const body = await request.bytes()
    const received = await receiver?.receive({ body, headers: request.headers })
    return new Response(received?.kind, { status: received?.status ?? 503 })
  },
})

// 2. The webhook: transfers to Bob, on every block that has one.
const { data: webhook } = await api('POST', '/api/create-webhook', {
  network: 'ETH_DEVNET',
  webhook_type: 'GRAPHQL',
  webhook_url: `${server.url}hook`,
  graphql_query: {
    skip_empty_messages: true,
    query: `{ block { number hash
      transactions(filter: {addresses: [{to: "${BOB}"}]}) { hash value } } }`,
  },
})
receiver = openReceiver({ signingKeys: webhook.signing_key, onDelivery: (it) => heard.push(it) })
console.log(`made ${webhook.id}`)

// 3. A transfer, and its delivery.
const snapshot = await rpc('evm_snapshot')
await transfer('0x1')
const first = await delivery()
show('the transfer', first)

// 4. A reorganisation: the chain goes back to before the transfer, and another one is mined.
await rpc('evm_revert', snapshot)
await transfer('0x2')
const second = await delivery()
show('after the reorganisation', second)

const higher = BigInt(second.sequenceNumber) > BigInt(first.sequenceNumber)
console.log(higher ? 'the second has the higher sequence number: it is final' : 'out of order!')

await api('DELETE', `/api/delete-webhook?webhook_id=${webhook.id}`)
await server.stop(true)

async function transfer(value: string): Promise<void> {
  await rpc('eth_sendTransaction', { from: ALICE, to: BOB, value })
  await rpc('evm_mine')
}

async function delivery() {
  const endsAt = Date.now() + 20_000
  while (Date.now() < endsAt) {
    const next = heard.shift()
    if (next?.kind === 'data') return next
    await Bun.sleep(20)
  }
  throw new Error('no delivery came')
}

function show(what: string, { sequenceNumber, data }: Awaited<ReturnType<typeof delivery>>) {
  console.log(`${what}: ${sequenceNumber} ${JSON.stringify(data)}`)
}

async function rpc(method: string, ...params: unknown[]) {
  const answer = await fetch(`${url}/eth-devnet/v2/${app_key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(`${method}: ${error.message}`)
  return result
}

async function api(method: string, path: string, body?: unknown) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'X-Service-Token': team_token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const reply = await answer.json()
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(reply)}`)
  return reply as { data: { id: string; signing_key: string } }
}
