import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { type DevnetChain, devnetChain } from '../../support/devnet/devnet-chain.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and deliveries, or more where the machine is busy with others. */
setDefaultTimeout(60_000)

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

describe('a chain that is taken back to a height', () => {
  test('has a lower head, which callers are shown', async () => {
    const { head } = await local.mine(6)
    await chain.untilFollowed()
    expect(await shownHeight()).toBe(head.number)
    const dropped = await local.drop(head.number - 4)
    expect(dropped.head.number).toBe(head.number - 4)
    expect(dropped.blocks.filter((block) => !block.is_canonical)).toHaveLength(4)
    await until(async () => (await shownHeight()) === head.number - 4, 'the lower head is shown')

    // The follower stays where it was, ready for traffic, until another block takes its place.
    const follower = () => headgate.running.followers?.statusOf('ETH_DEVNET')
    expect(follower()).toMatchObject(head)
    expect((await fetch(`${headgate.url}/readyz`)).status).toBe(200)
    await local.mine()
    await chain.untilFollowed()
    expect(follower()?.number).toBe(head.number - 3)
  })

  test('runs each height again once it is mined anew, with higher sequence numbers', async () => {
    await local.createWebhook('dropped')
    const { head } = await local.mine(4)
    const first = await newestOf('dropped', 4)
    const dropped = await local.drop(head.number - 4)
    expect((await local.page('dropped')).data).toHaveLength(4)

    for (let mined = 1; mined <= 5; mined++) {
      await local.mine()
      const now = await newestOf('dropped', 4 + mined)
      expect(now.at(-1)?.block_number).toBe(dropped.head.number + mined)
    }
    const all = await newestOf('dropped', 9)
    const again = all.slice(4)
    expect(again.map((one) => one.is_rerun)).toEqual([true, true, true, true, false])
    expect(again.map((one) => one.is_gap)).toEqual([false, false, false, false, false])
    expect(all.slice(0, 4).every((one) => one.is_superseded)).toBe(true)
    const last = BigInt(first.at(-1)?.sequence_number ?? 0)
    expect(again.map((one) => BigInt(one.sequence_number ?? 0) - last)).toEqual([
      1n,
      2n,
      3n,
      4n,
      5n,
    ])
    const hashes = new Set(all.map(({ body }) => JSON.parse(body).event.data.block.hash))
    expect(hashes.size).toBe(9)
  })

  test('begins anew at height 0, with the accounts as they were', async () => {
    await local.createWebhook('anew')
    await local.send({ kind: 'transfer' })
    const { head } = await local.mine(2)
    await newestOf('anew', 2)
    await local.send({ kind: 'transfer' })
    const dropped = await local.drop(0)
    expect(dropped).toMatchObject({ head: { number: 0 }, pending_transactions: 0 })
    expect(Number(await chain.call<string>('eth_getTransactionCount', FIRST, 'pending'))).toBe(0)
    await local.mine(3)
    const all = await newestOf('anew', 5)
    expect(all.slice(2).map((one) => one.block_number)).toEqual([1, 2, 3])
    expect(head.number).toBeGreaterThan(3)
    // The time of blocks goes on as before, however long ago the first one was.
    const block = await chain.call<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    expect(Math.abs(Number(block.timestamp) - Date.now() / 1000)).toBeLessThan(60)
  })

  test('is refused where no way leads back, which changes nothing', async () => {
    const { head } = await local.mine()
    for (const [height, words] of [
      [head.number, 'nothing to drop'],
      [head.number + 1, 'nothing to drop'],
    ] as const) {
      const { status, body } = await local.call('POST', '/api/devnet/drop', { height })
      expect([status, body.name]).toEqual([400, 'ValidationError'])
      expect(body.message).toContain(words)
    }
    await chain.call('hardhat_mine', '0x7d0')
    const { body } = await local.call('POST', '/api/devnet/drop', { height: 1 })
    expect(body.message).toContain(`blocks up to ${head.number + 1000} are final`)
    expect((await local.state()).head.number).toBe(head.number + 2000)
  })
})

const FIRST = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

async function shownHeight(): Promise<number> {
  return Number((await headgate.post(rpc('eth_blockNumber'))).json.result)
}

/** So many arrivals, in the order of their sequence numbers: in which they come is not promised. */
async function newestOf(name: string, count: number) {
  const arrivals = async () => (await local.page(name)).data
  await until(async () => (await arrivals()).length === count, `${count} deliveries have arrived`)
  const sequence = (one: { sequence_number: string | null }) => BigInt(one.sequence_number ?? 0)
  return (await arrivals()).sort((a, b) => (sequence(a) < sequence(b) ? -1 : 1))
}
