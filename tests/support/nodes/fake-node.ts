/** A node that does what no real one can be told to: lie, lag, hang, answer nonsense. */
export type FakeNode = {
  name: string
  url: string
  /** Every call received, in order, polls of the gateway included. */
  calls: { method: string; params: unknown[]; id: unknown; headers: Headers }[]
  /** Bodies that were no JSON-RPC; a gateway sends none. */
  garbled: string[]
  /** Calls of one method, such as those that are no polls. */
  callsOf(method: string): number
  chainId: number
  /** Given when it plays a Solana node, whose slot is the head's number. */
  genesisHash: string
  head: { number: number; hash: string; timestampMs: number }
  finalized: number | null
  supportsBatch: boolean
  /** Answers by method; a function gets params. Wins over the built-in answers. */
  answers: Record<string, unknown | ((params: unknown[]) => unknown)>
  /** Takes over the whole HTTP answer when it returns one; null goes on as usual. */
  misbehave: ((method: string, body: string) => Response | null | Promise<Response | null>) | null
  /** Moves the head up by one block. */
  mine(): void
  stop(): void
}

/** Thrown by an answer function to answer with a JSON-RPC error. */
export class NodeError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** A hash in the form of a Solana genesis hash. */
const GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/** The parent that the first block names. */
const NO_PARENT = `0x${'0'.repeat(64)}`

type Rpc = { id: unknown; method: string; params: unknown[] }

export function startFakeNode(name = 'fake'): FakeNode {
  const node: FakeNode = {
    name,
    url: '',
    calls: [],
    garbled: [],
    callsOf: (method) => node.calls.filter((call) => call.method === method).length,
    chainId: 1,
    genesisHash: GENESIS_HASH,
    head: { number: 1000, hash: hashOf(1000), timestampMs: Date.now() },
    finalized: 900,
    supportsBatch: true,
    answers: {},
    misbehave: null,
    mine() {
      const number = node.head.number + 1
      node.head = { number, hash: hashOf(number), timestampMs: Date.now() }
    },
    stop: () => void server.stop(true),
  }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 120,
    fetch: async (request) => answerBody(node, await request.text(), request.headers),
  })
  node.url = `http://127.0.0.1:${server.port}/secret-path-of-${name}`
  return node
}

/** The node's answer to a body, however that reached it. */
export async function answerBody(
  node: FakeNode,
  body: string,
  headers: Headers,
): Promise<Response> {
  const parsed = parseBody(body)
  if (!parsed) {
    node.garbled.push(body)
    return new Response('garbled', { status: 400 })
  }
  const members = Array.isArray(parsed) ? parsed : [parsed]
  for (const call of members) node.calls.push({ ...call, headers })
  const odd = await node.misbehave?.(members[0]?.method ?? '', body)
  if (odd) return odd
  if (!Array.isArray(parsed)) return json(answer(node, parsed))
  if (node.supportsBatch) return json(parsed.map((call) => answer(node, call)))
  return json({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message: 'batches are not supported' },
  })
}

/** A block hash that tells its height, on a chosen fork. */
export function hashOf(height: number, fork = 'aa'): string {
  return `0x${fork}${height.toString(16).padStart(62, '0')}`
}

/** An answer in the node's own bytes: `member` is `"result":…` or `"error":…` as it stands. */
export function replyInBytes(body: string, member: string): Response {
  const parsed = JSON.parse(body) as Rpc | Rpc[]
  const one = ({ id }: Rpc) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`
  const text = Array.isArray(parsed) ? `[${parsed.map(one).join(',')}]` : one(parsed)
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

/** A response that never comes. */
export function hang(): Promise<Response> {
  return new Promise(() => {})
}

/** Stricter than real nodes, so that what is wrong with a request is not overlooked. */
function parseBody(body: string): Rpc | Rpc[] | null {
  try {
    const parsed = JSON.parse(body) as Rpc | Rpc[]
    const members = Array.isArray(parsed) ? parsed : [parsed]
    const good = members.every(
      ({ id, method, params }) =>
        Number.isSafeInteger(id) && typeof method === 'string' && Array.isArray(params),
    )
    return good && members.length > 0 ? parsed : null
  } catch {
    return null
  }
}

function answer(node: FakeNode, call: Rpc): unknown {
  try {
    return { jsonrpc: '2.0', id: call.id, result: resultOf(node, call) }
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) throw thrown
    const { code, message, data } = thrown
    return { jsonrpc: '2.0', id: call.id, error: { code, message, ...(data ? { data } : {}) } }
  }
}

function resultOf(node: FakeNode, { method, params }: Rpc): unknown {
  if (Object.hasOwn(node.answers, method)) {
    const given = node.answers[method]
    return typeof given === 'function' ? given(params) : given
  }
  if (method === 'eth_chainId') return `0x${node.chainId.toString(16)}`
  if (method === 'eth_blockNumber') return `0x${node.head.number.toString(16)}`
  if (method === 'eth_getBlockByNumber') return blockAt(node, params[0])
  if (method === 'eth_gasPrice') return '0x3b9aca00'
  if (method === 'eth_getBalance') return '0x1'
  if (method === 'getGenesisHash') return node.genesisHash
  if (method === 'getSlot') return node.head.number
  throw new NodeError(-32601, `the method ${method} does not exist/is not available`)
}

function blockAt(node: FakeNode, tag: unknown): unknown {
  if (tag === 'finalized') {
    if (node.finalized === null) throw new NodeError(-32602, 'finalized tag not supported')
    return blockOf(node.finalized, hashOf(node.finalized))
  }
  const timestamp = `0x${Math.floor(node.head.timestampMs / 1000).toString(16)}`
  if (tag === 'latest') {
    return { ...blockOf(node.head.number, node.head.hash), timestamp }
  }
  const height = Number(tag)
  if (height > node.head.number) return null
  return { ...blockOf(height, hashOf(height)), timestamp }
}

function blockOf(height: number, hash: string) {
  const parentHash = height === 0 ? NO_PARENT : hashOf(height - 1)
  return { number: `0x${height.toString(16)}`, hash, parentHash }
}

function json(value: unknown): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })
}
