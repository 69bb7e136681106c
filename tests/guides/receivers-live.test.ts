import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/basics/until.ts'
import { freePort } from '../support/nodes/free-port.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
} from '../support/product/headgate-process.ts'
import { languages } from './languages.ts'
import { type StartedReceiver, startReceiver } from './start-receiver.ts'

/** Programs have to be compiled and started first, on a machine that may be busy. */
setDefaultTimeout(180_000)

const DEPTH = 3
const LANGUAGES = languages()

describe('deliveries of a chain that is reorganised', () => {
  let headgate: HeadgateProcess
  const receivers = new Map<string, StartedReceiver>()

  beforeAll(async () => {
    const env = { HEADGATE_LISTEN: '127.0.0.1:0', HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' }
    headgate = await startProcess({ folder: newFolder(), env })
    for (const language of LANGUAGES.filter(({ missing }) => missing === null)) {
      // The key is known when the webhook is made, and that names the port.
      const port = freePort()
      const { signing_key } = await call<{ signing_key: string }>('create-webhook', {
        network: 'ETH_DEVNET',
        webhook_type: 'GRAPHQL',
        webhook_url: `http://127.0.0.1:${port}/hook`,
        graphql_query: '{ block { number hash } }',
      })
      const env = { SIGNING_KEY: signing_key, PORT: `${port}` }
      receivers.set(language.name, await startReceiver(language, env))
    }
    await call('devnet/mine', { blocks: DEPTH + 1 })
    for (const receiver of receivers.values()) await untilAtHead(receiver)
    await call('devnet/reorganise', { depth: DEPTH })
  })

  afterAll(async () => {
    for (const receiver of receivers.values()) await receiver.stop()
    await cleanUp()
  })

  test.each(LANGUAGES.map(({ name, missing }) => [name, missing] as const))(
    'leave the receiver in %s on the canonical chain',
    async (name, missing) => {
      const receiver = receivers.get(name)
      if (missing !== null || !receiver) return
      const head = await untilAtHead(receiver)
      const again = () => receiver.said().match(/block \d+ again: /g)?.length
      await until(() => again() === DEPTH, 'each replaced height was delivered again')
      const heard = await receiver.blocks()
      const heights = Array.from({ length: DEPTH + 2 }, (_, at) => head - at)
      for (const height of heights) {
        const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', [hex(height), false])
        expect(heard[height]).toBe(hash)
      }
    },
  )

  async function untilAtHead(receiver: StartedReceiver): Promise<number> {
    const head = Number(await rpc<string>('eth_blockNumber'))
    const isThere = async () => `${head}` in (await receiver.blocks())
    await until(isThere, 'the last block was delivered')
    return head
  }

  async function call<T>(path: string, body: unknown): Promise<T> {
    const answer = await fetch(`${headgate.url}/api/${path}`, {
      method: 'POST',
      headers: { 'x-service-token': headgate.keys.team_token, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return (JSON.parse(text) as { data: T }).data
  }

  async function rpc<T>(method: string, params: unknown[] = []): Promise<T> {
    const answer = await fetch(`${headgate.url}/eth-devnet/v2/${headgate.keys.app_key}`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return ((await answer.json()) as { result: T }).result
  }
})

function hex(height: number): string {
  return `0x${height.toString(16)}`
}
