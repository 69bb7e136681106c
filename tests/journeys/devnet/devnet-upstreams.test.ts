import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and deliveries, or more where the machine is busy with others. */
setDefaultTimeout(180_000)

const NAMES = ['devnet', 'devnet-2', 'devnet-3']
const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const LOGS = '{ block { number logs { data } } }'

let headgate: TestHeadgate
let local: ReturnType<typeof localInbox>
let chain: DevnetChain

beforeAll(async () => {
  const env = { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000', HEADGATE_DEVNET_UPSTREAMS: '3' }
  headgate = await startHeadgate({ env })
  local = localInbox(headgate)
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(() => headgate.stop())
afterEach(async () => {
  for (const name of NAMES) await change(name, { behaviour: 'honest' })
})

function change(name: string, body: object) {
  return headgate.api('PUT', `/api/devnet/upstreams/${name}`, body)
}

async function call<T>(method: string, params: unknown[] = []): Promise<T> {
  const answer = await headgate.post(rpc(method, params), { slug: 'eth-devnet' })
  const { result, error } = answer.json
  if (error) throw new Error(JSON.stringify(error))
  return result
}

async function headsShown(): Promise<Record<string, number>> {
  const { json } = await headgate.api('GET', '/api/networks')
  const network = json.data.find(({ id }: { id: string }) => id === 'ETH_DEVNET')
  type Shown = { name: string; head: number }
  return Object.fromEntries(network.upstreams.map(({ name, head }: Shown) => [name, head]))
}

describe('a node of the embedded chain', () => {
  test('is one of several, and all of them answer truly', async () => {
    const { json } = await headgate.api('GET', '/api/devnet/upstreams')
    expect(json.data).toEqual(NAMES.map((name) => ({ name, behaviour: 'honest', blocks: 0 })))
  })

  test('that leaves logs out is found out: the delivery has them', async () => {
    await local.createWebhook('lies', { graphql_query: LOGS })
    for (const name of NAMES.slice(0, 2)) {
      expect((await change(name, { behaviour: 'lie' })).status).toBe(200)
    }
    await headgate.api('POST', '/api/devnet/send', { kind: 'log', value: '42' })
    const { head } = await local.mine(1)
    const { body } = await local.arrival(
      'lies',
      ({ block_number }) => block_number === head.number,
      'the block is delivered',
    )
    const word = `0x${(42).toString(16).padStart(64, '0')}`
    expect(body).toContain(word)
  })

  test('that lags is shown behind, and nobody is answered from it', async () => {
    await local.mine(6)
    await change('devnet', { behaviour: 'lag', blocks: 5 })
    const { head } = await local.mine(8)
    await until(async () => (await headsShown())['devnet-2'] === head.number, 'the others go on')
    await until(async () => (await headsShown()).devnet === head.number - 5, 'it is behind')
    for (let n = 0; n < 10; n++) expect(Number(await call('eth_blockNumber'))).toBe(head.number)
    await change('devnet', { behaviour: 'honest' })
    await local.mine(1)
    await until(async () => (await headsShown()).devnet === head.number + 1, 'it has caught up')
  })

  test.each(['fail', 'hang'])('that is made to %s costs no call its answer', async (behaviour) => {
    await change('devnet', { behaviour })
    await change('devnet-3', { behaviour })
    const balances = await Promise.all(
      Array.from({ length: 8 }, (_, n) => call('eth_getBalance', [ACCOUNT, `0x${n % 3}`])),
    )
    for (const balance of balances) expect(balance).toMatch(/^0x[0-9a-f]+$/)
  })

  test('answers again when a stall of all nodes is over', async () => {
    expect((await headgate.api('POST', '/api/devnet/stall', { seconds: 1 })).status).toBe(200)
    const { head } = await local.mine(1)
    await until(
      async () => Number(await call('eth_blockNumber').catch(() => 0)) === head.number,
      '',
    )
  })

  test.each([
    ['devnet-9', { behaviour: 'lag' }, 404, 'There is no such upstream'],
    ['devnet', { behaviour: 'lie', blocks: 2 }, 400, 'blocks goes with the behaviour lag only.'],
    ['devnet', { behaviour: 'lag', blocks: 0 }, 400, 'blocks'],
    ['devnet', { behaviour: 'lag', blocks: 1e9 }, 400, 'blocks'],
    ['devnet', { behaviour: 'gone' }, 400, 'behaviour'],
    ['devnet', {}, 400, 'behaviour'],
    ['%00', { behaviour: 'lag' }, 400, 'name'],
  ])('%s is not changed by %j', async (name, body, status, words) => {
    const refused = await change(name, body)
    expect(refused.status).toBe(status)
    expect(refused.json.message).toContain(words)
  })

  test.each([{}, { seconds: 0 }, { seconds: 601 }, { seconds: 1.5 }, { seconds: '1' }])(
    'no stall is made of %j',
    async (body) => {
      const refused = await headgate.api('POST', '/api/devnet/stall', body)
      expect(refused.status).toBe(400)
      expect(refused.json.message).toContain('seconds')
    },
  )
})
