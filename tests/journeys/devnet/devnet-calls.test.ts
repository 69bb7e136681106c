import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { callAndCheck } from '../../support/product/checked-call.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and deliveries, or more where the machine is busy with others. */
setDefaultTimeout(30_000)

let headgate: TestHeadgate
let local: ReturnType<typeof localInbox>
let chain: DevnetChain

beforeAll(async () => {
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  local = localInbox(headgate)
  chain = devnetChain(headgate)
  await chain.untilFollowed()
})
afterAll(() => headgate.stop())

describe('the chain of local development', () => {
  test('is shown with its blocks, and mines on command', async () => {
    const before = await local.state()
    expect(before).toMatchObject({ network: 'ETH_DEVNET', chain_id: 31337, is_held: false })
    expect(before.block_time_ms).toBe(600_000)
    const { head, blocks } = await local.mine(3)
    expect(head).toEqual(await chain.head())
    expect(head.number).toBe(before.head.number + 3)
    expect(blocks.at(-1)).toMatchObject({ ...head, is_canonical: true, time_replaced: null })
    expect((await local.call('POST', '/api/devnet/mine')).body.data.head.number).toBe(
      head.number + 1,
    )
  })

  test('runs the heights of a reorganisation again, signed and marked as such', async () => {
    const { id } = await local.createWebhook('reorganised')
    const { head } = await local.mine(5)
    const [first] = await arrived('reorganised', 5)
    expect(first).toMatchObject({ signature: 'valid', is_rerun: false, webhook_id: id })
    expect(first?.block_number).toBe(head.number)

    const after = await local.reorganise({ depth: 3 })
    expect(after.head.number).toBe(head.number + 1)
    expect(after.blocks.filter((block) => !block.is_canonical)).toHaveLength(3)
    const data = await arrived('reorganised', 9)
    const shown = data.map((one) => [one.block_number, one.is_rerun, one.is_superseded])
    const top = after.head.number
    expect(shown).toEqual([
      [top, false, false],
      [top - 1, true, false],
      [top - 2, true, false],
      [top - 3, true, false],
      [top - 1, false, true],
      [top - 2, false, true],
      [top - 3, false, true],
      [top - 4, false, false],
      [top - 5, false, false],
    ])
    for (const one of data) {
      expect(one).toMatchObject({ signature: 'valid', status_answered: 200, is_gap: false })
    }
    const hashes = new Map(after.blocks.map((block) => [block.hash, block.is_canonical]))
    const hashOf = (at: number) => hashIn(data[at]?.body ?? '')
    expect([hashOf(0), hashOf(3), hashOf(4)].map((hash) => hashes.get(hash))).toEqual([
      true,
      true,
      false,
    ])
  })

  test('reorganises as often as is wanted, also right after each other', async () => {
    await local.createWebhook('often')
    const { head } = await local.mine(8)
    for (const depth of [1, 2, 3, 5, 1]) await local.reorganise({ depth })
    const top = head.number + 5
    const { blocks } = await local.state()
    const canonical = blocks.filter(
      ({ number, is_canonical }) => is_canonical && number > head.number - 8 && number <= top,
    )
    expect(canonical).toHaveLength(13)
    for (const { hash } of canonical) {
      await local.arrival('often', (one) => hashIn(one.body) === hash, 'its version has arrived')
    }
    const { data } = await local.page('often')
    // Of each height the newest version counts, and it is the one that the chain has.
    const newest = data.filter(({ is_superseded }) => !is_superseded)
    expect(newest.map(({ body }) => hashIn(body)).sort()).toEqual(
      canonical.map(({ hash }) => hash).sort(),
    )
    expect(data.every(({ is_gap, signature }) => !is_gap && signature === 'valid')).toBe(true)
  })

  test('sends an event that a filter matches, which a reorganisation may take away', async () => {
    const query = '{ block { number logs(filter: {addresses: []}) { account { address } data } } }'
    await local.createWebhook('logs', { graphql_query: query })
    const sent = await local.send({ kind: 'log', value: '7' })
    expect(sent.devnet.pending_transactions).toBe(1)
    const { head } = await local.mine()
    const logsAt = (body: string) => JSON.parse(body).event.data.block.logs
    const first = await local.arrival(
      'logs',
      (one) => one.block_number === head.number,
      'the block with the event is delivered',
    )
    expect(logsAt(first.body)).toEqual([
      { account: { address: sent.contract }, data: `0x${'7'.padStart(64, '0')}` },
    ])

    await local.reorganise({ depth: 1, transactions: 'drop' })
    const again = await local.arrival('logs', (one) => one.is_rerun, 'the height is run again')
    expect(logsAt(again.body)).toEqual([])
    expect(again.block_number).toBe(head.number)
  })

  test('is held and resumed', async () => {
    const changed = await local.change({ block_time_ms: 300_000, transactions_per_block: 2 })
    expect(changed).toMatchObject({ block_time_ms: 300_000, transactions_per_block: 2 })
    const { blocks } = await local.mine()
    expect(blocks.findLast(({ is_canonical }) => is_canonical)?.transactions).toBe(2)
    await local.change({ block_time_ms: 600_000, transactions_per_block: 0 })
    expect(await local.change({ is_held: true })).toMatchObject({ is_held: true })
    expect(await local.state()).toMatchObject({ is_held: true })
    expect(await local.change({ is_held: false })).toMatchObject({ is_held: false })
    expect(await local.state()).toMatchObject({ is_held: false })
  })
})

describe('hostile calls', () => {
  test.each([
    ['mine', { blocks: 0 }, 'blocks'],
    ['mine', { blocks: 101 }, 'blocks'],
    ['mine', { blocks: '5' }, 'blocks'],
    ['mine', { blocks: 1e300 }, 'blocks'],
    ['mine', { block: 1 }, 'block'],
    ['mine', [], 'object'],
    ['reorganise', {}, 'depth'],
    ['reorganise', { depth: 0 }, 'depth'],
    ['reorganise', { depth: 33 }, 'depth'],
    ['reorganise', { depth: 2.5 }, 'depth'],
    ['reorganise', { depth: 3, blocks: 3 }, 'blocks'],
    ['reorganise', { depth: 3, blocks: 133 }, 'blocks'],
    ['reorganise', { depth: 3, transactions: 'burn' }, 'transactions'],
    ['drop', {}, 'height'],
    ['drop', { height: -1 }, 'height'],
    ['drop', { height: 1.5 }, 'height'],
    ['drop', { height: '1' }, 'height'],
    ['drop', { height: 1e300 }, 'height'],
    ['drop', { height: 1_000_000 }, 'nothing to drop'],
    ['send', { kind: 'mint' }, 'kind'],
    ['send', { to: '0x12' }, 'to'],
    ['send', { to: `0x${'zz'.repeat(20)}` }, 'to'],
    ['send', { value: 1 }, 'value'],
    ['send', { value: '0x1' }, 'value'],
    ['send', { value: '9'.repeat(79) }, 'value'],
    ['send', { value: '9'.repeat(78) }, 'value'],
    ['send', { value: '9'.repeat(60) }, 'funds'],
  ])('%s %j is refused with what is wrong', async (step, body, word) => {
    const before = await local.state()
    const { status, body: answer } = await local.call('POST', `/api/devnet/${step}`, body)
    expect([status, answer.name]).toEqual([400, 'ValidationError'])
    expect(answer.message).toContain(word)
    expect(await local.state()).toEqual(before)
  })

  test.each([
    [{}, 'at least one'],
    [{ is_held: 'yes' }, 'is_held'],
    [{ is_held: null }, 'is_held'],
    [{ block_time_ms: 9 }, 'block_time_ms'],
    [{ block_time_ms: 600_001 }, 'block_time_ms'],
    [{ transactions_per_block: 201 }, 'transactions_per_block'],
    [{ transactions_per_block: -1 }, 'transactions_per_block'],
    [{ is_held: true, pace: 1 }, 'pace'],
    [[], 'object'],
  ])('a change %j is refused with what is wrong', async (body, word) => {
    const before = await local.state()
    const { status, body: answer } = await local.call('PATCH', '/api/devnet', body)
    expect([status, answer.name]).toEqual([400, 'ValidationError'])
    expect(answer.message).toContain(word)
    expect(await local.state()).toEqual(before)
  })

  test('a chain that is too short says so', async () => {
    const young = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
    const answer = await localInbox(young).call('POST', '/api/devnet/reorganise', { depth: 5 })
    expect(answer.status).toBe(400)
    expect(answer.body.message).toMatch(
      /^depth is 5, and the chain has \d blocks after its first\.$/,
    )
    await young.stop()
  })

  test('a call without a token is refused', async () => {
    const { status } = await callAndCheck(headgate.url, 'GET', '/api/devnet', {})
    expect(status).toBe(401)
  })
})

test('where networks are configured there is nothing of all this', async () => {
  const node = startFakeNode('node')
  const configured = await startHeadgate({ nodes: [node] })
  const calls = [
    ['GET', '/api/devnet'],
    ['POST', '/api/devnet/mine'],
    ['POST', '/api/devnet/reorganise'],
    ['POST', '/api/devnet/drop'],
    ['PATCH', '/api/devnet'],
    ['POST', '/api/devnet/send'],
    ['GET', '/api/inboxes'],
    ['GET', '/api/inboxes/demo'],
    ['PUT', '/api/inboxes/demo'],
    ['DELETE', '/api/inboxes/demo'],
  ] as const
  for (const [method, path] of calls) {
    for (const token of [configured.teamToken, configured.operatorToken, 'none']) {
      const { status, json } = await configured.api(method, path, undefined, token)
      expect([path, status, json.name]).toEqual([path, 404, 'NotFound'])
    }
  }
  for (const name of ['demo', 'v2', '', 'demo/', 'a/b']) {
    const { status } = await fetch(`${configured.url}/inbox/${name}`, {
      method: 'POST',
      body: '{}',
    })
    // `/inbox/v2` reads as a call to a network of that name, which there is not either.
    expect([name, status]).toEqual([name, 404])
  }
  await configured.stop()
  node.stop()
})

/** So many arrivals, in the order of their sequence numbers: in which they come is not promised. */
async function arrived(name: string, count: number) {
  const page = () => local.page(name)
  await until(async () => (await page()).data.length === count, `${count} deliveries have arrived`)
  const { data } = await page()
  const sequence = (one: (typeof data)[number]) => BigInt(one.sequence_number ?? 0)
  return data.sort((a, b) => (sequence(a) < sequence(b) ? 1 : -1))
}

function hashIn(body: string): string {
  return JSON.parse(body).event.data.block.hash
}
