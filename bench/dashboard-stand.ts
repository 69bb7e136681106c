import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addStoredLog } from '../tests/support/deliveries/stored-log.ts'
import { signedInBrowser } from '../tests/support/pages/dashboard-stage.ts'
import { blockNetwork } from './block-network.ts'
import { startBlockNode } from './contenders.ts'
import { type HeadgateProcess, spawnHeadgate } from './headgate-process.ts'

/** The product with webhooks, one of which has a long log, and a browser that is signed in. */
export type DashboardStand = {
  url: string
  /** The webhook with the long log. */
  webhookId: string
  browser: Awaited<ReturnType<typeof signedInBrowser>>
  stop(): Promise<void>
}

/** A token may make 100 calls a second. */
const TOO_MANY = 429
const PAUSE_MS = 1000

const ENV = {
  HEADGATE_GATEWAY_WORKERS: '1',
  HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'true',
}

type Size = { webhooks: number; deliveries: number }

export async function openDashboardStand({ webhooks, deliveries }: Size): Promise<DashboardStand> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const node = opened.adopt(await startBlockNode(), (one) => one.stop())
  const order = { folder, networks: [blockNetwork(node)], env: ENV }
  const first = await spawnHeadgate(order)
  const webhookId = await makeWebhooks(first, webhooks).finally(first.stop)
  const nowMs = Date.now()
  addStoredLog(join(folder, 'headgate.sqlite'), { webhookId, deliveries, nowMs })
  const headgate = opened.adopt(await spawnHeadgate(order), (one) => one.stop())
  await headgate.ready()
  const { url } = headgate
  const { team_token: teamToken } = headgate.firstRun()
  const browser = opened.adopt(await signedInBrowser({ url, teamToken }), (one) => one.close())
  const all = opened.move()
  return { url, webhookId, browser, stop: () => all.disposeAsync() }
}

/** As many webhooks, all of them paused, so that nothing is ever sent; the id of the first. */
async function makeWebhooks(headgate: HeadgateProcess, count: number): Promise<string> {
  await headgate.ready()
  const token = headgate.firstRun().team_token
  const call = async (method: string, path: string, body: object): Promise<{ id: string }> => {
    const headers = { 'x-service-token': token, 'content-type': 'application/json' }
    const sent = { method, headers, body: JSON.stringify(body) }
    const answer = await fetch(`${headgate.url}${path}`, sent)
    if (answer.status === TOO_MANY) {
      await Bun.sleep(PAUSE_MS)
      return call(method, path, body)
    }
    if (!answer.ok) throw new Error(await answer.text())
    return ((await answer.json()) as { data: { id: string } }).data
  }
  let firstId = ''
  for (let at = 0; at < count; at++) {
    const { id } = await call('POST', '/api/create-webhook', {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url: `http://127.0.0.1:9/never/${at}`,
      graphql_query: '{ block { number hash } }',
      name: `Webhook ${at}`,
    })
    await call('PUT', '/api/update-webhook', { webhook_id: id, is_active: false })
    firstId ||= id
  }
  return firstId
}
