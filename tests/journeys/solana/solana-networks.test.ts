import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { networksEnv, solanaNetwork } from '../../support/nodes/networks.ts'
import {
  type PoolJourney,
  poolJourney,
  type UpstreamReport,
} from '../../support/nodes/pool-journey.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { asSolana, SOLANA_NETWORK } from '../../support/solana/solana-journey.ts'

const OTHER_GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'

/** More slots than 30 seconds have. */
const FAR_SLOTS = 100

/** Shut out for the head that it told, not for telling none yet. */
const isOut = ({ state, head }: UpstreamReport) => state === 'excluded' && head !== null

describe('the genesis hash of a Solana network', () => {
  test.each([
    ['another one than configured', { genesisHash: OTHER_GENESIS }, OTHER_GENESIS],
    ['another one than the nodes beside it, if none is configured', {}, 'not '],
  ])('stops the start when a node has %s', async (_how, members, named) => {
    const nodes = [startFakeNode('sol-a'), startFakeNode('sol-b')] as const
    if (!('genesisHash' in members)) nodes[1].genesisHash = OTHER_GENESIS
    try {
      const starting = startHeadgate({ env: networksEnv(solanaNetwork('SOL', nodes, members)) })
      await expect(starting).rejects.toThrow(/upstream sol-[ab] of SOL is on chain .+, not /)
      await expect(starting).rejects.toThrow(named)
    } finally {
      for (const node of nodes) node.stop()
    }
  })

  test.each([
    ['is configured', true],
    ['was the first that was heard', false],
  ])('that %s shuts out a node that comes up with another', async (_how, configured) => {
    const first = asSolana(startFakeNode('first'))
    const late = asSolana(startFakeNode('late'))
    late.genesisHash = OTHER_GENESIS
    late.misbehave = () => new Response('starting', { status: 503 })
    const network = configured
      ? { ...SOLANA_NETWORK, genesisHash: first.genesisHash }
      : SOLANA_NETWORK
    const journey = await poolJourney([first, late], { network })
    try {
      late.misbehave = null
      await journey.reported('late', ({ reason }) => reason === 'on another chain')
      // Even with nobody else left, the wrong ledger is not asked.
      first.misbehave = () => new Response('gone', { status: 503 })
      const { status } = await journey.gate.post(rpc('getBalance', ['key']))
      expect(status).toBe(503)
      expect(late.callsOf('getBalance')).toBe(0)
      expect(journey.gate.logText()).toContain('"upstream_chain"')
    } finally {
      await journey.stop()
    }
  })

  test('is checked again when a node was away, and its old heads count no more', async () => {
    const nodes = [asSolana(startFakeNode('stays')), asSolana(startFakeNode('moves'))] as const
    const journey = await poolJourney(nodes, { network: SOLANA_NETWORK })
    const [stays, moves] = nodes
    try {
      await journey.allHealthy()
      moves.misbehave = () => new Response('gone', { status: 503 })
      await journey.reported('moves', ({ state }) => state === 'excluded')
      moves.genesisHash = OTHER_GENESIS
      moves.head.number += 5_000_000
      moves.misbehave = null
      await journey.reported('moves', ({ reason }) => reason === 'on another chain')
      const askedBefore = moves.callsOf('getBalance')
      for (let call = 0; call < 20; call++) await journey.gate.post(rpc('getBalance', [call]))
      expect(moves.callsOf('getBalance')).toBe(askedBefore)
      expect(stays.callsOf('getBalance')).toBeGreaterThanOrEqual(20)
    } finally {
      await journey.stop()
    }
  })

  test('is asked of a node once, however many callers ask for it', async () => {
    const node = asSolana(startFakeNode('only'))
    const journey = await poolJourney([node], { network: SOLANA_NETWORK })
    try {
      await journey.gate.post(rpc('getGenesisHash'))
      const before = node.callsOf('getGenesisHash')
      const { json, headers } = await journey.gate.post(rpc('getGenesisHash'))
      expect(json.result).toBe(node.genesisHash)
      expect(headers.get('x-headgate-cache')).toBe('hit')
      expect(node.callsOf('getGenesisHash')).toBe(before)
    } finally {
      await journey.stop()
    }
  })
})

describe('the slot of a Solana node', () => {
  test.each([['two'], ['three']])(
    'keeps it from being used when it is far behind, with %s nodes',
    async (count) => {
      const nodes = ['ahead', 'behind', 'beside'].map((name) => asSolana(startFakeNode(name)))
      const used = count === 'two' ? nodes.slice(0, 2) : nodes
      const [, behind] = nodes
      for (const node of nodes) if (node !== behind) node.head.number += FAR_SLOTS
      const journey = await poolJourney(used, { network: SOLANA_NETWORK })
      try {
        const report = await journey.reported('behind', isOut)
        expect(report).toMatchObject({
          reason: `${FAR_SLOTS} blocks behind`,
          lag_blocks: FAR_SLOTS,
        })
        await journey.reported('ahead', ({ state }) => state === 'used')
        for (let call = 0; call < 10; call++) {
          const { headers } = await journey.gate.post(rpc('getBalance', [call]))
          expect(headers.get('x-headgate-upstream')).not.toBe('behind')
        }
        // Back at the tip, it is used again.
        behind!.head.number += FAR_SLOTS
        await journey.reported('behind', ({ state }) => state === 'used')
      } finally {
        await journey.stop()
        for (const node of nodes) node.stop()
      }
    },
  )

  test('that one node alone is far ahead with is not believed where two others disagree', async () => {
    const nodes = ['a', 'b', 'liar'].map((name) => asSolana(startFakeNode(name)))
    nodes[2]!.head.number += 9_000_000
    const journey = await poolJourney(nodes, { network: SOLANA_NETWORK })
    try {
      const { reason } = await journey.reported('liar', isOut)
      expect(reason).toEndWith('blocks ahead of what others confirm')
    } finally {
      await journey.stop()
    }
  })

  test.each([['a text'], [-5], [1.5], [null], [1e300]])(
    'that is no slot (%p) takes its node out',
    async (slot) => {
      const nodes = [asSolana(startFakeNode('good')), asSolana(startFakeNode('odd'))] as const
      nodes[1].answers.getSlot = slot
      const journey = await poolJourney(nodes, { network: SOLANA_NETWORK })
      try {
        await journey.reported('good', ({ head }) => head !== null)
        const report = await journey.reported('odd', ({ last_fault }) => last_fault !== null)
        expect(report).toMatchObject({ state: 'excluded', head: null })
        expect(report.last_fault).toBe('no head in its answer')
      } finally {
        await journey.stop()
      }
    },
  )
})

describe('what is told of a Solana network', () => {
  const node = asSolana(startFakeNode('node-s'))
  let gate: TestHeadgate
  let journey: PoolJourney

  beforeAll(async () => {
    journey = await poolJourney([node], { network: SOLANA_NETWORK })
    gate = journey.gate
  })

  afterAll(() => journey.stop())

  test('is its slot, and no hash that it does not have', async () => {
    const { json } = await gate.api('GET', '/api/networks')
    expect(json.data[0]).toMatchObject({
      id: 'SOLANA_MAINNET',
      slug: 'solana-mainnet',
      kind: 'solana',
      head: { number: node.head.number, hash: null },
    })
  })

  test('follows the slot as it moves', async () => {
    node.mine()
    await until(async () => {
      const ready = await fetch(`${gate.url}/readyz`)
      const { networks } = (await ready.json()) as { networks: { head: number }[] }
      return ready.status === 200 && networks[0]?.head === node.head.number
    }, 'the new slot is told')
  })
})
