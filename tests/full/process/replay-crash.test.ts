// Runs on both stores.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { deliveryId } from '../../../src/core/delivery/delivery-id.ts'
import { rawBlock } from '../../support/blocks/raw-block.ts'
import { startWebhookReceiver } from '../../support/deliveries/webhook-receiver.ts'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { until } from '../../support/product/headgate.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const ARGS = ['--config', 'headgate.yaml']
const PATH = '/replayed'

const KILLS = Number(process.env.HEADGATE_KILLS ?? 3)
const BLOCKS = 800

/** Killed when so many deliveries have arrived. */
const KILLS_AT = Array.from({ length: KILLS }, (_, at) => 20 + Math.floor((at * 500) / KILLS))

/** Of the node, so that a replay lasts long enough to be killed in the middle. */
const BLOCK_MS = 3

/** A busy machine takes its time for hundreds of blocks. */
const REPLAY_MS_MAX = 120_000

afterEach(cleanUp)

test(
  'a replay that is killed again and again delivers every height, and repeats with the same id',
  async () => {
    const receiver = startWebhookReceiver()
    const node = startArchiveNode()
    const folder = newFolder()
    const more = 'webhooks: { allowPrivateDestinations: true }\n'
    writeConfig(folder, configText([node], more))
    let headgate = await startProcess({ folder, args: ARGS })
    const webhook = await call(headgate, 'POST', '/api/create-webhook', {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: receiver.url + PATH,
      graphql_query: '{ block { number hash } }',
    })
    const replay = await call(headgate, 'POST', '/api/replay-webhook', {
      webhook_id: webhook.id,
      from_block: 1,
      to_block: BLOCKS,
    })

    for (const killAt of KILLS_AT) {
      await until(() => receiver.acceptedOn(PATH).length >= killAt, `${killAt} have arrived`)
      const before = await call(headgate, 'GET', `/api/replays/${replay.id}`)
      headgate.signal('SIGKILL')
      await headgate.exited
      headgate = await startProcess({ folder, args: ARGS })
      const after = await call(headgate, 'GET', `/api/replays/${replay.id}`)
      expect(after.next_block).toBeGreaterThanOrEqual(before.next_block)
    }
    // The node's head may be followed too, when that comes after the webhook was made.
    const replayed = () => receiver.acceptedOn(PATH).filter(({ json }) => heightOf(json) <= BLOCKS)
    const heights = () => new Set(replayed().map(({ json }) => heightOf(json)))
    await until(() => heights().size === BLOCKS, 'every height has arrived', REPLAY_MS_MAX)
    expect(await call(headgate, 'GET', `/api/replays/${replay.id}`)).toMatchObject({
      state: 'done',
      delivered: BLOCKS,
      next_block: BLOCKS + 1,
    })
    for (const { json } of replayed()) {
      expect(json.event.sequenceNumber).toBe(String(heightOf(json)))
      expect(json.id).toBe(deliveryId(webhook.id, heightOf(json)))
    }

    node.stop()
    await receiver.stop()
  },
  20 * 60_000,
)

/** A node that has all blocks below its head. */
function startArchiveNode(): FakeNode {
  const node = startFakeNode('node-a')
  node.answers.eth_getBlockByHash = ([hash]: string[]) => {
    const number = Number(`0x${hash?.slice(4)}`)
    return number <= node.head.number ? rawBlock([], number).block : null
  }
  node.misbehave = async (method) => {
    if (method === 'eth_getBlockByHash') await Bun.sleep(BLOCK_MS)
    return null
  }
  return node
}

async function call(headgate: HeadgateProcess, method: string, path: string, body?: unknown) {
  const response = await fetch(headgate.url + path, {
    method,
    headers: { 'x-service-token': headgate.keys.team_token, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text).data
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a delivery, whatever it holds.
function heightOf(json: any): number {
  return json.event.data.block.number
}
