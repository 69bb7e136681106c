import { afterAll, beforeAll, expect, test } from 'bun:test'
import { seededChance } from '../../support/basics/seeded-chance.ts'
import { sized } from '../../support/basics/sized.ts'
import { type FakeNode, replyInBytes, startFakeNode } from '../../support/nodes/fake-node.ts'
import { sendRaw } from '../../support/nodes/raw-http.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { type MutatedRequest, mutatedRequest } from '../../support/product/mutated-request.ts'
import { shapeFault } from '../../support/product/rpc-answer.ts'

/** To see a failure again, run with the seed and the number of cases it printed. */
const CASES = Number(process.env.HEADGATE_FUZZ_CASES ?? sized(2_000, 10_000))
const SEED = Number(process.env.HEADGATE_FUZZ_SEED ?? 1)
const AT_ONCE = 32
const TEST_MS_MAX = 300_000

const STATUSES = [200, 400, 401, 403, 404, 405, 413, 415, 429, 503, 504]

/** The odd answers of a node to `odd_get0` to `odd_get9`. */
const ODDITIES: ((body: string) => Response)[] = [
  (body) => replyInBytes(body, '"result":null'),
  (body) => replyInBytes(body, `"result":[${'18446744073709551615,'.repeat(20_000)}0]`),
  (body) => replyInBytes(body, '"error":{"code":3,"message":"execution reverted","data":"0x"}'),
  (body) => replyInBytes(body, '"error":null,"result":1'),
  (body) => replyInBytes(body, '"error":"nonsense"'),
  () => new Response('<html>', { status: 502 }),
  () => new Response('{"jsonrpc":"2.0","id":'),
  () => new Response(null, { status: 204 }),
  () => Response.json([{ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } }]),
  (body) => replyInBytes(body, `"result":"${'x'.repeat(300_000)}`),
]

const nodes = [oddNode('node-a'), oddNode('node-b')]
let headgate: TestHeadgate

beforeAll(async () => {
  headgate = await startHeadgate({ nodes })
})

afterAll(async () => {
  await headgate.stop()
  for (const node of nodes) node.stop()
})

function oddNode(name: string): FakeNode {
  const node = startFakeNode(name)
  node.answers.eth_call = '0x'
  node.answers.eth_getLogs = []
  node.answers.eth_newFilter = '0x1'
  node.answers.eth_getFilterChanges = []
  node.misbehave = (method, body) => {
    const odd = /^odd_get(\d)$/.exec(method)
    return odd ? (ODDITIES[Number(odd[1])]?.(body) ?? null) : null
  }
  return node
}

async function send({ method, path, headers, body }: MutatedRequest) {
  const response = await fetch(`${headgate.url}${path}`, { method, headers, body })
  const text = await response.text().catch(() => null)
  return { status: response.status, headers: response.headers, text }
}

type Sent = Awaited<ReturnType<typeof send>>

/** The fault of an answer; null when there is none. */
function faultOf(request: MutatedRequest, { status, headers, text }: Sent): string | null {
  const secret = leaked(`${text} ${JSON.stringify([...headers])}`)
  if (secret) return `leaks ${secret}`
  const { pathname } = new URL(headgate.url + request.path)
  const isRpc = /^(\/[^/]*)?\/v2(\/|$)/.test(pathname)
  if (!isRpc) return status === 404 || status === 405 ? null : `HTTP ${status} off the RPC path`
  if (request.method === 'OPTIONS') return status === 204 ? null : `HTTP ${status}`
  if (!STATUSES.includes(status)) return `HTTP ${status}`
  if (text === null) return mayBreak(request) ? null : 'a broken answer'
  if (request.method === 'HEAD') return text === '' ? null : 'a body'
  try {
    return shapeFault(JSON.parse(text))
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
}

/** A result that breaks off half-way must break the connection, not look whole. */
function mayBreak(request: MutatedRequest): boolean {
  return /odd_get9/.test(bodyOf(request))
}

/** A secret of ours that stands in a text. */
function leaked(text: string): string | null {
  const { appKey, teamToken, operatorToken } = headgate
  const secrets = ['secret-path-of-', appKey, teamToken, operatorToken]
  return secrets.find((secret) => text.includes(secret)) ?? null
}

function bodyOf({ body }: MutatedRequest): string {
  return new TextDecoder().decode(body ?? new Uint8Array())
}

function described(at: number, request: MutatedRequest, fault: string): string {
  const { method, path, headers } = request
  const shown = JSON.stringify({ method, path, headers, body: bodyOf(request).slice(0, 2000) })
  return `HEADGATE_FUZZ_SEED=${SEED}, case ${at}: ${fault}\n${shown}`
}

async function runCases(next: () => number): Promise<void> {
  for (let at = next(); at < CASES; at = next()) {
    const request = mutatedRequest(SEED, at, headgate.appKey)
    const answer = await send(request).catch((thrown: unknown) => String(thrown))
    // Compressed, hardly anything of it may have been sent by then, not even its head.
    if (typeof answer === 'string' && mayBreak(request)) continue
    const fault = typeof answer === 'string' ? answer : faultOf(request, answer)
    if (fault !== null) throw new Error(described(at, request, fault))
  }
}

async function expectUnharmed(): Promise<void> {
  const { json } = await headgate.post(rpc('eth_gasPrice', [], 'after'))
  expect(json).toEqual({ jsonrpc: '2.0', id: 'after', result: '0x3b9aca00' })
  await headgate.running.drivers.telemetry.flush()
  const log = headgate.logText()
  expect(log.split('\n').filter((line) => line.includes('"event":"bug"'))).toEqual([])
  expect(leaked(log)).toBeNull()
  for (const node of nodes) expect(node.garbled).toEqual([])
}

test(
  `${CASES} mutated requests all get an answer of the right shape, and do no harm`,
  async () => {
    let at = 0
    const next = () => at++
    await Promise.all(Array.from({ length: AT_ONCE }, () => runCases(next)))
    await expectUnharmed()
  },
  TEST_MS_MAX,
)

test(
  'bytes that are hardly HTTP end their own connection and nothing else',
  async () => {
    const chance = seededChance(SEED)
    const good = `POST /eth-mainnet/v2/${headgate.appKey} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`
    for (let at = 0; at < Math.min(300, CASES); at++) {
      const bytes = Buffer.from(good)
      for (let more = chance.between(1, 5); more > 0; more--) {
        bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255)
      }
      const { head, body } = await sendRaw(headgate.url, bytes, '\r\n\r\n', null)
      expect(leaked(head + body), `seed ${SEED}, case ${at}: ${bytes}`).toBeNull()
    }
    await expectUnharmed()
  },
  TEST_MS_MAX,
)
