// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import {
  isSignedBothWays,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../support/deliveries/webhook-receiver.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { changeTeam, newTeam, type TestTeam } from '../../support/product/teams.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

/** A body of some 250 bytes costs about 10 CU, so a few of them use it up. */
const MONTHLY_CU = '30'

const MONTH_REASON = 'MONTHLY_CAPACITY_EXCEEDED'

let headgate: TestHeadgate
let chain: DevnetChain
let receiver: WebhookReceiver
let team: TestTeam

beforeAll(async () => {
  receiver = startWebhookReceiver()
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_TIERS_FREE_MONTHLY_CU: MONTHLY_CU,
    },
  })
  chain = devnetChain(headgate)
  await chain.untilFollowed()
  team = await newTeam(headgate, 'free')
})
afterAll(async () => {
  await headgate.stop()
  await receiver.stop()
})

test('each webhook of a team whose month is used up gets the error event, and nothing after it until somebody unpauses it', async () => {
  const webhooks = [await created('/one'), await created('/two')]
  const errorsOn = (path: string) =>
    receiver.acceptedOn(path).filter(({ json }) => json.event.error)
  const haveErrors = () => ['/one', '/two'].every((path) => errorsOn(path).length > 0)
  for (let block = 0; block < 20 && !haveErrors(); block++) {
    const before = receiver.arrivals.length
    await chain.mine()
    await until(() => receiver.arrivals.length >= before + 2 || haveErrors(), 'both hear of it')
  }

  for (const [at, path] of ['/one', '/two'].entries()) {
    await until(() => errorsOn(path).length === 1, 'its last word is an error')
    const last = receiver.acceptedOn(path).at(-1)
    expect(last?.json).toEqual({
      webhookId: webhooks[at]?.id,
      id: expect.stringMatching(/^whevt_[a-z0-9]{16}$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      type: 'GRAPHQL',
      event: {
        error: `Monthly capacity limit exceeded. Visit ${headgate.url}/settings/billing to upgrade your scaling policy for continued service.`,
      },
    })
    expect(last && (await isSignedBothWays(last, webhooks[at]?.signing_key ?? ''))).toBe(true)
  }
  expect(await standings()).toEqual([
    { is_active: false, state: 'paused', deactivation_reason: 'MONTHLY_CAPACITY_EXCEEDED' },
    { is_active: false, state: 'paused', deactivation_reason: 'MONTHLY_CAPACITY_EXCEEDED' },
  ])

  const said = receiver.arrivals.length
  // More room alone unpauses nothing: that is left to somebody.
  await changeTeam(headgate, team.id, { autoscaling: true })
  await chain.mine(2)
  await chain.untilFollowed()
  expect(receiver.arrivals).toHaveLength(said)
  expect((await standings()).map((one) => one.state)).toEqual(['paused', 'paused'])

  await api('PUT', '/api/update-webhook', { webhook_id: webhooks[0]?.id, is_active: true })
  await chain.mine()
  const { number } = await chain.head()
  const newest = () => receiver.acceptedOn('/one').at(-1)?.json.event.data?.block.number
  await until(() => newest() === number, 'the one that was unpaused goes on')
  expect(receiver.acceptedOn('/two').at(-1)?.json.event.error).toBeString()
})

test('the call that uses the month up is served, and pauses the webhooks too', async () => {
  team = await newTeam(headgate, 'free')
  await created('/three')
  const ask = () => headgate.post(rpc('eth_getLogs', [{}]), { key: team.key })
  const { status, headers } = await ask()
  expect([status, headers.get('x-headgate-cu')]).toEqual([200, '60'])
  expect((await ask()).status).toBe(429)
  const last = () => receiver.acceptedOn('/three').at(-1)?.json.event.error
  await until(() => last() !== undefined, 'it is told why')
  expect((await standings()).map(({ state }) => state)).toEqual(['paused'])
})

test('a webhook that is created or unpaused after that is paused again and told so, and gets no data', async () => {
  const [three] = await api('GET', '/api/team-webhooks')
  const paused = { is_active: false, state: 'paused', deactivation_reason: MONTH_REASON }
  expect(await created('/four')).toMatchObject(paused)
  const unpause = { webhook_id: three.id, is_active: true }
  const errorsOn = (path: string) =>
    receiver.acceptedOn(path).filter(({ json }) => json.event.error).length
  const before = errorsOn('/three')
  // One that has not arrived yet, as far as the store knows, would not be sent a second time.
  const log = () => api('GET', `/api/deliveries?webhook_id=${three.id}`)
  const settled = async () => (await log()).every((one: Logged) => one.status === 'delivered')
  await until(settled, 'the first error event is known to have arrived')
  expect(await api('PUT', '/api/update-webhook', unpause)).toMatchObject(paused)
  await until(() => errorsOn('/four') === 1, 'the new one is told why')
  await until(() => errorsOn('/three') === before + 1, 'the one that was unpaused is told again')
  await chain.mine(2)
  await chain.untilFollowed()
  const data = receiver.arrivals.filter(
    ({ path, json }) => ['/three', '/four'].includes(path) && json.event.data,
  )
  expect(data).toEqual([])
})

async function api(method: string, path: string, body?: unknown) {
  const answer = await headgate.api(method, path, body, team.token)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.json.data
}

function created(path: string): Promise<{ id: string; signing_key: string }> {
  return api('POST', '/api/create-webhook', {
    network: 'ETH_DEVNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `${receiver.url}${path}`,
    graphql_query: { query: '{ block { number hash } }' },
  })
}

type Logged = { status: string }

type Standing = { is_active: boolean; state: string; deactivation_reason: string | null }

async function standings(): Promise<Standing[]> {
  const webhooks = await api('GET', '/api/team-webhooks')
  return webhooks.map(({ is_active, state, deactivation_reason }: Standing) => ({
    is_active,
    state,
    deactivation_reason,
  }))
}
