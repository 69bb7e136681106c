// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../../support/product/teams.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

/** A small result and its place in the log take somewhat more than a KiB. */
const UNDELIVERED_BYTES_MAX = 20_000

/** Two webhooks have more than twice as much undelivered, and one has more. */
const BLOCKS = 30

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_TIERS_FREE_UNDELIVERED_BYTES_MAX: `${UNDELIVERED_BYTES_MAX}`,
      HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: Array(30).fill(1000).join(','),
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
})

test('a team whose results nobody accepts is paused and told so, and gets rid of them later', async () => {
  const [full, other] = [await newTeam(headgate, 'free'), await newTeam(headgate, 'free')]
  receiver.answer = (path, body) =>
    path.startsWith('/full') && !body.includes('"error"') ? 404 : 200
  const [one, two] = [await created('/full-1', full), await created('/full-2', full)]
  await created('/other', other)
  await chain.mine(BLOCKS)
  await until(() => receiver.acceptedOn('/other').length === BLOCKS, 'the other has every block')
  const errorOn = (path: string) => receiver.acceptedOn(path).at(-1)?.json.event.error
  for (const path of ['/full-1', '/full-2']) {
    await until(() => errorOn(path) !== undefined, 'it is told why')
    expect(errorOn(path)).toStartWith('Backlog limit exceeded: ')
  }
  expect(await standings(full)).toEqual([
    ['paused', 'BACKLOG_FULL'],
    ['paused', 'BACKLOG_FULL'],
  ])
  expect(await standings(other)).toEqual([['active', null]])

  // Far above the limit unpausing does not help, and a new one would add to it.
  expect((await unpause(one, full)).deactivation_reason).toBe('BACKLOG_FULL')
  const three = await created('/full-3', full)
  expect((await find(three, full)).deactivation_reason).toBe('BACKLOG_FULL')
  await api('DELETE', `/api/delete-webhook?webhook_id=${two}`, full)
  const waiting = await api('GET', `/api/deliveries?webhook_id=${one}&status=waiting`, full)
  expect(waiting.length).toBeGreaterThan(BLOCKS / 2)
  receiver.answer = () => 200
  expect((await unpause(one, full)).state).toBe('active')
  const hasArrived = ({ id }: { id: string }) =>
    receiver.acceptedOn('/full-1').some(({ json }) => json.id === id)
  await until(() => waiting.every(hasArrived), 'what waited has arrived')
  await chain.mine()
  const { number } = await chain.head()
  const newest = () => receiver.acceptedOn('/full-1').at(-1)?.json.event.data?.block.number
  await until(() => newest() === number, 'it goes on')
  expect((await find(one, full)).state).toBe('active')
})

async function api(method: string, path: string, team: TestTeam, body?: unknown) {
  const answer = await headgate.api(method, path, body, team.token)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.json.data
}

async function created(path: string, team: TestTeam): Promise<string> {
  const { id } = await api('POST', '/api/create-webhook', team, {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: '{ block { number } }',
  })
  return id
}

function unpause(webhook_id: string, team: TestTeam): Promise<Standing> {
  return api('PUT', '/api/update-webhook', team, { webhook_id, is_active: true })
}

type Standing = { id: string; state: string; deactivation_reason: string | null }

async function find(id: string, team: TestTeam): Promise<Standing> {
  const all: Standing[] = await api('GET', '/api/team-webhooks', team)
  return all.find((one) => one.id === id) as Standing
}

async function standings(team: TestTeam) {
  const all: Standing[] = await api('GET', '/api/team-webhooks', team)
  return all.map(({ state, deactivation_reason }) => [state, deactivation_reason])
}
