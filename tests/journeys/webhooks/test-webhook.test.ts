// Runs on both stores.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import {
  isSignedBothWays,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

let headgate: TestHeadgate
let receiver: WebhookReceiver

afterEach(async () => {
  await headgate.stop()
  await receiver.stop()
})

async function start(env: Record<string, string> = {}): Promise<void> {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000', ...env } })
}

function send(webhook_url: string) {
  const graphql_query = '{ block { number hash } }'
  const body = { network: 'ETH_DEVNET', webhook_url, graphql_query }
  return headgate.api('POST', '/api/test-webhook', body)
}

test('a receiver gets a test delivery that its key verifies', async () => {
  await start()
  const { status, json, text } = await send(`${receiver.url}/test`)
  expect(status, text).toBe(200)
  expect(json.data).toMatchObject({ accepted: true, status_code: 200, response_start: 'noted' })
  const [arrival] = receiver.arrivals
  expect(arrival?.body).toBe(json.data.delivery.body)
  expect(arrival && (await isSignedBothWays(arrival, json.data.signing_key))).toBe(true)
  expect(receiver.arrivals).toHaveLength(1)
})

test('what the receiver says against it is told, and it is not sent again', async () => {
  await start({ HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '1,1,1' })
  receiver.answer = () => 401
  const { json } = await send(`${receiver.url}/test`)
  expect(json.data).toMatchObject({ accepted: false, status_code: 401, response_start: 'noted' })
  const { json: log } = await headgate.api('GET', '/api/deliveries')
  expect([log.data, receiver.arrivals.length]).toEqual([[], 1])
})

test('no address inside is reached, and all are refused in the same words', async () => {
  await start({ HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'false' })
  const { port } = new URL(receiver.url)
  const said = new Set<string>()
  for (const url of [
    receiver.url,
    `http://localhost:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://2130706433:${port}/`,
    'http://169.254.169.254/latest/meta-data/',
    'http://10.0.0.1:22/',
    'http://no-such-name.invalid/',
    'ftp://127.0.0.1/',
    `http://user:word@127.0.0.1:${port}/`,
  ]) {
    const { status, text } = await send(url)
    expect([url, status]).toEqual([url, 400])
    said.add(text)
  }
  expect(said.size).toBe(1)
  expect(receiver.arrivals).toEqual([])
})
