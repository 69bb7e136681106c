// Runs on both stores.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { getServers, setServers } from 'node:dns'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { type NameServer, type Said, startNameServer } from '../../support/nodes/name-server.ts'
import {
  type Answer,
  startHeadgate,
  type TestHeadgate,
  until,
} from '../../support/product/headgate.ts'

setDefaultTimeout(180_000)

/** Names of each of two teams; together more than any machine's pool of threads has. */
const DEAD_NAMES = 45

const SAID: Record<string, Said> = {
  'good.test': { v4: ['93.184.215.14'] },
  'inner.test': { v4: ['10.0.0.5'] },
  'alias.test': { alias: 'inner.test', v4: ['10.0.0.5'] },
}

const REFUSED = {
  name: 'ValidationError',
  message:
    'webhook_url: it must be http or https, without credentials, and lead to a public address.',
}

const serversBefore = getServers()
let names: NameServer
let node: FakeNode
let headgate: TestHeadgate

beforeAll(async () => {
  names = await startNameServer((name) =>
    name.startsWith('dead') ? 'silence' : (SAID[name] ?? 'nothing'),
  )
  // Nobody delivers here, so that nothing is ever connected to.
  node = await startFakeNode()
  headgate = await startHeadgate({
    nodes: [node],
    env: { HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'false' },
  })
  setServers([names.address])
})

afterAll(async () => {
  await headgate.stop()
  await node.stop()
  await names.stop()
  setServers(serversBefore)
})

async function newTeam(): Promise<string> {
  const made = { name: 'Team', tier: 'free' }
  const { json } = await headgate.api('POST', '/api/teams', made, headgate.operatorToken)
  return json.data.token
}

function create(token: string, host: string): Promise<Answer> {
  const asked = {
    network: 'ETH_MAINNET',
    webhook_type: 'GRAPHQL',
    webhook_url: `https://${host}/hook`,
    graphql_query: '{ block { number } }',
  }
  return headgate.api('POST', '/api/create-webhook', asked, token)
}

test('names that never answer hold up no other team, and no commit', async () => {
  const [one, two, other] = [await newTeam(), await newTeam(), await newTeam()]
  let ended = 0
  const dead = [one, two].flatMap((token, team) =>
    Array.from({ length: DEAD_NAMES }, async (_, at) => {
      const answer = await create(token, `dead${team}-${at}.test`)
      ended += 1
      return answer
    }),
  )
  const asked = () => new Set(names.asked.filter((name) => name.startsWith('dead'))).size
  await until(() => asked() === 2 * DEAD_NAMES, 'all of them are asked for')

  // It looks a name up and is committed.
  const created = await create(other, 'good.test')
  const { status } = await headgate.api(
    'DELETE',
    `/api/delete-webhook?webhook_id=${created.json.data.id}`,
    undefined,
    other,
  )
  expect([created.status, status, ended]).toEqual([200, 200, 0])

  for (const { status, json } of await Promise.all(dead)) {
    expect([status, json]).toEqual([400, REFUSED])
  }
})

test.each(['nosuch.test', 'inner.test', 'alias.test'])(
  'a refusal of %s does not tell whether there is such a name',
  async (host) => {
    const token = await newTeam()
    const { status, json } = await create(token, host)
    expect([status, json]).toEqual([400, REFUSED])
  },
)
