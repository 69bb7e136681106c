import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

const node = startFakeNode()
let headgate: TestHeadgate

beforeAll(async () => {
  // The first parameter says how many characters the answer is to have.
  node.answers.eth_getLogs = ([chars]: unknown[]) => 'log '.repeat(Number(chars) / 4)
  node.answers.eth_getCode = ([chars]: unknown[]) => 'ab'.repeat(Number(chars) / 2)
  headgate = await startHeadgate({ nodes: [node] })
})

afterAll(async () => {
  await headgate.stop()
  node.stop()
})

const UNPACK = {
  gzip: (bytes: Uint8Array<ArrayBuffer>) => Bun.gunzipSync(bytes),
  zstd: (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes),
}

async function post(body: unknown, acceptEncoding: string) {
  const response = await fetch(`${headgate.url}/eth-mainnet/v2/${headgate.appKey}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'accept-encoding': acceptEncoding },
    decompress: false,
  } as RequestInit)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return { response, bytes }
}

const CALLS: [what: string, body: unknown, charsMin: number][] = [
  ['a held answer of 20 KB', rpc('eth_getLogs', [20_000]), 20_000],
  ['a held answer of 200 KB', rpc('eth_getLogs', [200_000]), 200_000],
  ['a streamed answer of 3 MB', rpc('eth_getLogs', [3_000_000]), 3_000_000],
  ['a batch of small ones', [1, 2, 3].map((id) => rpc('eth_getCode', [8000], id)), 24_000],
  ['a batch with a streamed one', [rpc('eth_getLogs', [900_000]), rpc('eth_chainId')], 900_000],
]

describe.each(['gzip', 'zstd'] as const)('with %s', (coding) => {
  test.each(CALLS)('%s says the same as uncompressed', async (_what, body, charsMin) => {
    const plain = await post(body, 'identity')
    expect(plain.response.headers.get('content-encoding')).toBeNull()
    expect(plain.response.headers.get('vary')).toBe('accept-encoding')
    expect(plain.bytes.length).toBeGreaterThan(charsMin)

    const compressed = await post(body, coding)
    expect(compressed.response.status).toBe(200)
    expect(compressed.response.headers.get('content-encoding')).toBe(coding)
    expect(compressed.response.headers.get('vary')).toBe('accept-encoding')
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length / 4)
    expect(Buffer.from(UNPACK[coding](compressed.bytes)).equals(plain.bytes)).toBe(true)
  })

  test('a small answer is sent as it is', async () => {
    const { response } = await post(rpc('eth_getCode', [8000]), coding)
    expect(response.headers.get('content-encoding')).toBeNull()
    expect(response.headers.get('vary')).toBeNull()
  })

  test('a large answer of the management API is compressed too', async () => {
    const description = 'words '.repeat(150)
    const app = { description, networks: ['ETH_MAINNET'] }
    for (let at = 0; at < 20; at++) {
      await headgate.api('POST', '/api/apps', { ...app, name: `${coding} ${at}` })
    }
    const ask = (acceptEncoding: string) =>
      fetch(`${headgate.url}/api/apps`, {
        headers: { 'x-service-token': headgate.teamToken, 'accept-encoding': acceptEncoding },
        decompress: false,
      } as RequestInit)
    const compressed = await ask(coding)
    expect(compressed.headers.get('content-encoding')).toBe(coding)
    expect(compressed.headers.get('cache-control')).toBe('no-store')
    const uncompressed = UNPACK[coding](new Uint8Array(await compressed.arrayBuffer()))
    expect(Buffer.from(uncompressed).toString()).toBe(await (await ask('identity')).text())
  })
})
