import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { clusterEnv, openCluster } from '../support/cluster/cluster.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { openPage } from '../support/pages/page.ts'
import { type TestDatabase, testDatabase } from '../support/postgres/test-postgres.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

setDefaultTimeout(60_000)

let node: ChainNode
let database: TestDatabase

beforeEach(async () => {
  node = startChainNode(1)
  database = await testDatabase()
})
afterEach(async () => {
  await cleanUp()
  node.stop()
  await database.drop()
})

test.skipIf(lacksPostgres())(
  'a session is good in every process, and ends in all of them at once',
  async () => {
    const networks = [{ id: 'ETH_MAINNET', chainId: 1, upstreams: [node] }]
    const cluster = openCluster(clusterEnv(database.url, networks))
    const [one, two] = await Promise.all([cluster.start(['api']), cluster.start(['api'])])
    const { team_token: token } = cluster.keys()
    const owner = await openPage(one.url, { token })
    const made = await owner.call('POST', '/api/team/tokens', { body: { name: 'guest' } })

    const guest = await openPage(two.url, { token: made.json.data.token })
    const statusAt = async (page: typeof owner, url: string) =>
      (await page.call('GET', '/api/team', { url })).status
    // Both have seen it, so that either could go on believing in it.
    expect([await statusAt(guest, one.url), await statusAt(guest, two.url)]).toEqual([200, 200])
    const path = `/api/team/tokens/${made.json.data.id}`
    expect((await owner.call('DELETE', path, { url: one.url })).status).toBe(200)
    expect([await statusAt(guest, two.url), await statusAt(guest, one.url)]).toEqual([401, 401])

    expect((await owner.call('DELETE', '/api/session', { url: two.url })).status).toBe(200)
    expect([await statusAt(owner, one.url), await statusAt(owner, two.url)]).toEqual([401, 401])
    for (const member of [one, two]) {
      for (const secret of [owner.secret, guest.secret, token, made.json.data.token]) {
        expect(member.said()).not.toContain(secret)
      }
    }
  },
)
