// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createServer, type Server } from 'node:net'
import { openEgress } from '../../../src/system/egress/egress.ts'
import { openConnector } from '../../../src/system/http1/connector.ts'
import { courierStage } from '../../support/deliveries/courier-stage.ts'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and answers, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

/** Requests that get through to this machine are counted here. */
let listeners: Server[]
let port: number
let connections = 0
let headgate: TestHeadgate
const node = startFakeNode()

beforeAll(async () => {
  const open = (host: string, at: number) =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((socket) => {
        connections++
        socket.destroy()
      })
      server.once('error', reject).listen(at, host, () => resolve(server))
    })
  const first = await open('127.0.0.1', 0)
  const address = first.address()
  port = typeof address === 'object' ? (address?.port ?? 0) : 0
  // A machine may be without IPv6.
  const second = await open('::1', port).catch(() => null)
  listeners = second ? [first, second] : [first]
  const env = {
    HEADGATE_ROLES: 'gateway,follower,courier,api',
    HEADGATE_WEBHOOKS_ALLOW_PRIVATE_DESTINATIONS: 'false',
  }
  headgate = await startHeadgate({ nodes: [node], env })
})
afterAll(async () => {
  await headgate.stop()
  node.stop()
  for (const listener of listeners) listener.close()
})

/** An address that deliveries may go to; nothing is ever sent there. */
const PUBLIC = '93.184.215.14'

const NAME_KEPT_MS = 30_000

/** PORT stands for one at which this machine listens. */
const HOSTILE = [
  // This machine, however it is written.
  'http://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0.0.1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://017700000001:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://127。0。0。1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://0:PORT/',
  'http://0.0.0.0:PORT/',
  'http://localhost:PORT/',
  'http://LOCALHOST.:PORT/',
  'http://app.localhost:PORT/',
  'http://[::1]:PORT/',
  'http://[::]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  // IPv4 carried by IPv6.
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::127.0.0.1]:PORT/',
  'http://[64:ff9b:1::127.0.0.1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2001:0:7f00:1::]:PORT/',
  'http://[2606:4700::5efe:127.0.0.1]:PORT/',
  // Networks of others, and what belongs to nobody.
  'http://10.0.0.5/',
  'http://100.64.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://192.88.99.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[3fff::1]/',
  'http://[5f00::1]/',
  'http://[fc00::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  // The metadata of clouds.
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://metadata/',
  'http://instance-data/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://metadata.google.internal./computeMetadata/v1/',
  // URLs that two readers read differently, or that are none of ours.
  'http://user:password@127.0.0.1:PORT/',
  'http://example.com@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT\\@example.com/',
  'http://example.com#@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT/#example.com',
  ' http://127.0.0.1:PORT/',
  'http://127.0.0.1\t:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_POST',
  'unix:///var/run/docker.sock',
  '//127.0.0.1:PORT/',
  '',
]

describe('a webhook may not lead to', () => {
  test.each(HOSTILE)('%s', async (url) => {
    const webhook_url = url.replaceAll('PORT', String(port))
    const created = await headgate.api('POST', '/api/create-webhook', {
      network: 'ETH_MAINNET',
      webhook_type: 'GRAPHQL',
      webhook_url,
      graphql_query: '{ block { number } }',
    })
    expect(created.status, created.text).toBe(400)
    expect(created.json).toMatchObject({ name: 'ValidationError' })
    expect(created.json.message).toContain('webhook_url')
    expect(created.text).not.toContain('password')
    expect(connections).toBe(0)
  })

  test('any of them, and nothing is stored', async () => {
    expect((await headgate.api('GET', '/api/team-webhooks')).json.data).toEqual([])
  })
})

describe('a name that leads elsewhere once its webhook is made', () => {
  test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.5'])(
    'gets nothing at %s',
    async (forbidden) => {
      const stage = await courierStage()
      const dialled: string[] = []
      const connector = openConnector({ abandonedMax: 8 })
      let addresses = [PUBLIC]
      const egress = openEgress({
        clock: stage.clock,
        allowPrivate: false,
        resolve: async () => addresses,
        connect(target, listener) {
          dialled.push(target.address)
          return connector(target, listener)
        },
      })
      stage.egress.post = egress.post
      const url = `http://rebound.example:${port}/`
      expect(await egress.vet(url, 'team_a')).toBeNull()
      await stage.webhook('wh_a', { url })
      addresses = [PUBLIC, forbidden]
      await stage.clock.advance(NAME_KEPT_MS)
      const courier = stage.open()
      await stage.block('wh_a')
      const isTried = async () => (await stage.rows())[0]?.attempts_made === 1
      await until(isTried, 'an attempt is noted')

      const [row] = await stage.rows()
      expect(row).toMatchObject({ state: 'waiting', attempts_made: 1 })
      expect(dialled).toEqual([])
      expect(connections).toBe(0)
      await courier.stop()
      egress.close()
    },
  )
})
