import { until } from '../basics/until.ts'
import { newSigner } from '../product/access-tokens.ts'
import type { TestHeadgate } from '../product/headgate.ts'
import { rpc } from '../product/headgate.ts'

export type PictureData = {
  appId: string
  webhookId: string
  failingId: string
  deliveryId: string
}

const TRANSFERS =
  '{ block { number hash timestamp logs(filter: {topics: [["0xddf252ad1be2c89b69c2b068fc378daa9' +
  '52ba7f163c4a11628f55a4df523b3ef"]]}) { data topics account { address } transaction { hash } } } }'

const HEADS = '{ block { number hash timestamp gasUsed transactionCount } }'

/** A team that has used everything a little: what the pictures of the dashboard show. */
export async function pictureData(headgate: TestHeadgate): Promise<PictureData> {
  const post = async (path: string, body?: unknown) => made(headgate, 'POST', path, body)
  const shop = await post('/api/apps', {
    name: 'shop-backend',
    description: 'Balances and receipts of the shop',
    networks: ['ETH_DEVNET', 'SOLANA_DEVNET'],
    allow: {
      methods: ['eth_*', 'getAccountInfo'],
      ips: ['127.0.0.0/8', '::1', '2001:db8:40::/48'],
      contracts: ['0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'],
    },
  })
  const indexer = await post('/api/apps', { name: 'ledger-indexer', networks: ['ETH_DEVNET'] })
  for (const [name, behaviour] of [
    ['ledger', { behaviour: 'fail', status: 503 }],
    ['old-shop', { behaviour: 'gone' }],
  ] as const) {
    await made(headgate, 'PUT', `/api/inboxes/${name}`, behaviour)
  }
  const hook = (name: string, inbox: string, query: string, skip = false) =>
    post('/api/create-webhook', {
      network: 'ETH_DEVNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `${headgate.url}/inbox/${inbox}`,
      graphql_query: { query, skip_empty_messages: skip },
      name,
      app_id: shop.id,
    })
  const every = await hook('Every block', 'blocks', HEADS)
  await hook('Transfers to the shop', 'transfers', TRANSFERS, true)
  const failing = await hook('Ledger', 'ledger', HEADS)
  const gone = await hook('Old shop', 'old-shop', HEADS)
  const resting = await hook('Nightly report', 'blocks', HEADS)
  await made(headgate, 'PUT', '/api/update-webhook', { webhook_id: resting.id, is_active: false })
  await post('/api/graphql/variables/wallets', {
    items: Array.from({ length: 24 }, (_, at) => `0x${String(at).padStart(40, '0')}`),
  })
  await post('/api/team/tokens', { name: 'CI' })
  await post('/api/jwt-keys', { name: 'shop-front', public_key: newSigner('ES256').publicKey })
  await post('/api/jwt-keys', { name: 'kiosk', public_key: newSigner('EdDSA').publicKey })
  await useKeys(headgate, [shop.key, indexer.key])
  await makeBlocks(headgate, every.id)
  await until(async () => isPaused(headgate, gone.id), 'the webhook that is gone is paused')
  return {
    appId: shop.id,
    webhookId: every.id,
    failingId: failing.id,
    deliveryId: await rerunOf(headgate, every.id),
  }
}

async function useKeys(headgate: TestHeadgate, keys: readonly string[]): Promise<void> {
  const methods = ['eth_blockNumber', 'eth_chainId', 'eth_gasPrice', 'eth_noSuchMethod']
  for (const [at, key] of keys.entries()) {
    for (let round = 0; round < 30 - at * 18; round++) {
      const method = methods[round % methods.length] ?? 'eth_chainId'
      await headgate.post(rpc(method), { key, slug: 'eth-devnet' })
    }
    const block = rpc('eth_getBlockByNumber', ['latest', false])
    await headgate.post(block, { key, slug: 'eth-devnet' })
  }
}

/** Transfers in some blocks, and three of them replaced. */
async function makeBlocks(headgate: TestHeadgate, webhookId: string): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await made(headgate, 'POST', '/api/devnet/send', { kind: round % 2 ? 'transfer' : 'log' })
    await made(headgate, 'POST', '/api/devnet/mine', { blocks: 4 })
  }
  // Blocks that nobody has heard of are not re-run when they are replaced.
  const { head } = await made(headgate, 'GET', '/api/devnet')
  await until(
    async () => (await firstDelivery(headgate, webhookId, `block=${head.number}`)) !== '',
    'the head is delivered',
  )
  await made(headgate, 'POST', '/api/devnet/reorganise', { depth: 3 })
  await made(headgate, 'POST', '/api/devnet/mine', { blocks: 2 })
}

async function isPaused(headgate: TestHeadgate, id: string): Promise<boolean> {
  const { json } = await headgate.api('GET', '/api/team-webhooks')
  const found = json.data.find((webhook: { id: string }) => webhook.id === id)
  return found?.deactivation_reason === 'DESTINATION_GONE'
}

/** A delivery that a reorganisation made anew, once it is done. */
async function rerunOf(headgate: TestHeadgate, webhookId: string): Promise<string> {
  let id = ''
  await until(async () => {
    id = await firstDelivery(headgate, webhookId, 'rerun=true')
    return id !== ''
  }, 'a re-run is delivered')
  return id
}

async function firstDelivery(headgate: TestHeadgate, webhookId: string, filter: string) {
  const path = `/api/deliveries?webhook_id=${webhookId}&status=delivered&${filter}`
  const { json } = await headgate.api('GET', path)
  return String(json.data[0]?.id ?? '')
}

async function made(headgate: TestHeadgate, method: string, path: string, body?: unknown) {
  const { status, json, text } = await headgate.api(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path} answered ${status}: ${text}`)
  return json.data
}
