import { describe, expect, test } from 'bun:test'
import { type FakeNode, hashOf, startFakeNode } from '../../support/nodes/fake-node.ts'
import {
  addressAt,
  balanceOf,
  type PoolJourney,
  poolJourney,
} from '../../support/nodes/pool-journey.ts'
import { rpc, startHeadgate, until } from '../../support/product/headgate.ts'
import { asSolana, SOLANA_NETWORK } from '../../support/solana/solana-journey.ts'

const HOUR_MS = 3_600_000

/** Blocks that may lie between two upstreams before one counts as diverged. */
const NETWORK = { blockTimeMs: 1000, headLagMsMax: 5000 }

describe.concurrent('a node whose head is not where the others are', () => {
  test('far ahead is not believed, and not asked', async () => {
    await nodes(async ({ odd, journey }) => {
      moveHead(odd, 9_000_000)
      const told = await journey.reported('odd', ({ state }) => state === 'excluded')
      expect(told.reason).toBe('8999000 blocks ahead of what others confirm')
      await expectAloneInUse(odd, journey)
      await recovers(odd, journey)
    })
  })

  test('far behind, with blocks of an hour ago, is not asked', async () => {
    await nodes(async ({ odd, journey }) => {
      moveHead(odd, 600, HOUR_MS)
      const told = await journey.reported('odd', ({ state }) => state === 'excluded')
      expect(told).toMatchObject({ reason: '400 blocks behind', lag_blocks: 400 })
      await expectAloneInUse(odd, journey)
      await recovers(odd, journey)
    })
  })

  test('that stands still while the chain goes on is not asked for long', async () => {
    await nodes(async ({ odd, good, journey }) => {
      odd.head.timestampMs -= HOUR_MS
      for (let block = 0; block < 10; block++) good.mine()
      const told = await journey.reported('odd', ({ state }) => state === 'excluded')
      expect(told.reason).toMatch(/^\d+ blocks behind$/)
      await expectAloneInUse(odd, journey)
    })
  })

  test('on another chain from one poll to the next is not asked', async () => {
    await nodes(async ({ odd, journey }) => {
      // An endpoint changes behind us by going away and coming back as another.
      odd.misbehave = () => new Response('restarting', { status: 503 })
      await journey.reported('odd', ({ last_fault }) => last_fault === 'http_503')
      odd.chainId = 137
      moveHead(odd, 1000, 0, 'bb')
      odd.misbehave = null
      const told = await journey.reported('odd', ({ reason }) => reason === 'on another chain')
      expect(told.state).toBe('excluded')
      await expectAloneInUse(odd, journey)
      odd.chainId = 1
      await recovers(odd, journey)
    })
  }, 180_000)

  test('never reported is not taken for one at the tip', async () => {
    const odd = startFakeNode('odd')
    odd.misbehave = (method) =>
      method === 'eth_getBlockByNumber'
        ? Response.json({ jsonrpc: '2.0', id: 1, result: {} })
        : null
    const good = startFakeNode('good')
    const journey = await poolJourney([odd, good], { network: NETWORK })
    try {
      await journey.reported('good', ({ head }) => head !== null)
      await journey.reads(40)
      const told = await journey.report('odd')
      expect(told).toMatchObject({ state: 'excluded', head: null, lag_blocks: null })
      expect(odd.callsOf('eth_getBalance')).toBe(0)
    } finally {
      await journey.stop()
    }
  })
})

describe('a node that lags by a block', () => {
  test('is used, but not for what is read at the tip while others are there', async () => {
    const lagging = startFakeNode('lagging')
    const others = [startFakeNode('one'), startFakeNode('two')]
    const journey = await poolJourney([lagging, ...others], { network: NETWORK })
    try {
      await journey.allHealthy()
      for (const node of others) node.mine()
      await journey.reported('two', ({ head }) => head === 1001)
      await until(async () => (await headOf(journey)) === 1001, 'two agree on the new head')
      const told = await journey.report('lagging')
      expect(told).toMatchObject({ state: 'used', reason: 'healthy', lag_blocks: 1 })

      const before = lagging.callsOf('eth_getBalance')
      await journey.reads(60)
      expect(lagging.callsOf('eth_getBalance')).toBe(before)

      const old = Array.from({ length: 60 }, (_, at) =>
        journey.gate.post(rpc('eth_getBalance', [addressAt(at), '0x64'])),
      )
      for (const { json } of await Promise.all(old)) expect(json.error).toBeUndefined()
      expect(lagging.callsOf('eth_getBalance')).toBeGreaterThan(before)
    } finally {
      await journey.stop()
    }
  })

  test('is not asked for a block it does not have yet', async () => {
    const lagging = startFakeNode('lagging')
    const others = [startFakeNode('one'), startFakeNode('two')]
    const journey = await poolJourney([lagging, ...others], { network: NETWORK })
    try {
      await journey.allHealthy()
      for (const node of others) node.mine()
      await until(async () => (await headOf(journey)) === 1001, 'two agree on the new head')
      const asked = Array.from({ length: 30 }, (_, at) =>
        journey.gate.post(rpc('eth_getBlockByNumber', ['0x3e9', at % 2 === 0], at)),
      )
      for (const { json } of await Promise.all(asked)) expect(json.result.number).toBe('0x3e9')
    } finally {
      await journey.stop()
    }
  })
})

describe('one liar of three', () => {
  test('cannot move the head, wherever it claims to be', async () => {
    const liar = startFakeNode('odd')
    const others = [startFakeNode('one'), startFakeNode('two')]
    const journey = await poolJourney([liar, ...others], { network: NETWORK })
    try {
      await journey.allHealthy()
      for (const height of [1003, 9_000_000, 5, 0]) {
        moveHead(liar, height)
        await until(async () => (await journey.report('odd')).head === height, 'its report came')
        await journey.reads(30)
        const { json } = await journey.gate.api('GET', '/api/networks')
        expect(json.data[0].head).toMatchObject({ number: 1000, hash: hashOf(1000) })
      }
    } finally {
      await journey.stop()
    }
  })
})

describe('one liar of two', () => {
  test('cannot move the head where blocks do not say how old they are', async () => {
    const [odd, good] = [asSolana(startFakeNode('odd')), asSolana(startFakeNode('good'))]
    const journey = await poolJourney([odd, good], { network: SOLANA_NETWORK })
    try {
      await journey.allHealthy()
      odd.head.number = 9_000_000
      const told = await journey.reported('odd', ({ state }) => state === 'excluded')
      expect(told.reason).toBe('8999000 blocks ahead of what others confirm')
      expect(await journey.report('good')).toMatchObject({ state: 'used', lag_blocks: 0 })
      expect(await headOf(journey)).toBe(1000)
      good.head.number = 1010
      await until(async () => (await headOf(journey)) === 1010, 'the head goes on without it')
    } finally {
      await journey.stop()
    }
  })

  test('cannot keep answers from being cached by speaking of blocks that nobody has', async () => {
    const [liar, good] = [startFakeNode('liar'), startFakeNode('good')]
    liar.answers.eth_getTransactionReceipt = { blockNumber: '0x895440' }
    const journey = await poolJourney([liar, good], { upstreams: [{}, { priority: 1 }] })
    try {
      await journey.allHealthy()
      const receipt = rpc('eth_getTransactionReceipt', [hashOf(1)])
      expect((await journey.gate.post(receipt)).json.result.blockNumber).toBe('0x895440')
      await journey.gate.post(rpc('eth_gasPrice'))
      const { headers } = await journey.gate.post(rpc('eth_gasPrice'))
      expect(headers.get('x-headgate-cache')).toBe('hit')
    } finally {
      await journey.stop()
    }
  })
})

describe('a wrong chain at the start', () => {
  test('stops the start with a fault that names the place, the upstream and both chains', async () => {
    const good = startFakeNode('good')
    const wrong = startFakeNode('wrong')
    wrong.chainId = 137
    const started = startHeadgate({ nodes: [good, wrong] })
    await expect(started).rejects.toThrow(
      /HEADGATE_NETWORKS.*: upstream wrong of ETH_MAINNET is on chain 137, not 1/,
    )
    await expect(started).rejects.not.toThrow('secret-path-of')
    good.stop()
    wrong.stop()
  })
})

async function headOf(journey: PoolJourney): Promise<number> {
  const { json } = await journey.gate.api('GET', '/api/networks')
  return json.data[0].head.number
}

type Given = { odd: FakeNode; good: FakeNode; journey: PoolJourney }

async function nodes(run: (given: Given) => Promise<void>): Promise<void> {
  const odd = startFakeNode('odd')
  const good = startFakeNode('good')
  const journey = await poolJourney([odd, good], { network: NETWORK })
  try {
    await journey.allHealthy()
    await journey.readsReach(odd)
    await run({ odd, good, journey })
  } finally {
    await journey.stop()
  }
}

function moveHead(node: FakeNode, number: number, ageMs = 0, fork = 'aa'): void {
  node.head = { number, hash: hashOf(number, fork), timestampMs: Date.now() - ageMs }
}

/** From now on the odd one answers wrongly, and nobody hears it. */
async function expectAloneInUse(odd: FakeNode, journey: PoolJourney): Promise<void> {
  const before = odd.callsOf('eth_getBalance')
  odd.answers.eth_getBalance = () => '0x666'
  for (let round = 0; round < 8; round++) await journey.reads(25)
  expect(odd.callsOf('eth_getBalance')).toBe(before)
  odd.answers.eth_getBalance = ([address]: [string]) => balanceOf(address)
}

async function recovers(odd: FakeNode, journey: PoolJourney): Promise<void> {
  moveHead(odd, 1000)
  await journey.reportedUnderLoad('odd', ({ state }) => state === 'used')
  const before = odd.callsOf('eth_getBalance')
  // A poll that took long makes it the slower one of two for a while.
  await until(async () => {
    await journey.reads(20)
    return odd.callsOf('eth_getBalance') > before
  }, 'it is asked again')
}
