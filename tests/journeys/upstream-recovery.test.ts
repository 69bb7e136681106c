import { describe, expect, test } from 'bun:test'
import { hang, startFakeNode } from '../support/fake-node.ts'
import { rpc, until } from '../support/headgate.ts'
import { heal, OUTAGE_MS_MAX, outage } from '../support/outage.ts'
import { poolJourney } from '../support/pool-journey.ts'
import { startTcpNode } from '../support/tcp-node.ts'

const FAILING = /^failing: (resting before the next probe|being probed)$/
const status = (code: number, headers = {}) => new Response('no', { status: code, headers })

describe.concurrent('a node that hangs', () => {
  test(
    'is left at once, and what it was given is answered by the other',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = hang
        await journey.reads(40)
        const told = await journey.reported('bad', ({ state }) => state === 'excluded')
        expect(told.reason).toMatch(FAILING)
        expect(told.last_fault).toMatch(/^(hangs|timed_out)$/)
        const before = bad.callsOf('eth_getBalance')
        await journey.reads(200)
        expect(bad.callsOf('eth_getBalance') - before).toBeLessThanOrEqual(3)
        await heal(bad)
        await journey.reportedUnderLoad('bad', ({ state }) => state === 'used')
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'does not hold up heavy calls either',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = hang
        const blocks = Array.from({ length: 20 }, (_, at) =>
          journey.gate.post(rpc('eth_getBlockByNumber', [`0x${at.toString(16)}`, false])),
        )
        for (const { json } of await Promise.all(blocks)) expect(json.result.hash).toBeString()
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'costs no call when its own patience is short',
    async () => {
      await outage(
        async ({ bad, journey }) => {
          bad.misbehave = hang
          await journey.reads(100)
          await journey.reported('bad', ({ state }) => state === 'excluded')
        },
        { timeoutMs: 200 },
      )
    },
    OUTAGE_MS_MAX,
  )
})

describe.concurrent('a node that was out', () => {
  test(
    'is tried with copies of reads, one at a time, before it is trusted',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = () => status(500)
        await journey.reported('bad', ({ state }) => state === 'excluded')
        await journey.reads(50)
        let underWay = 0
        let most = 0
        let copies = 0
        // Well again, but slow: what comes now are copies, and nobody waits for them.
        bad.misbehave = async (method) => {
          if (method !== 'eth_getBalance') return null
          copies++
          most = Math.max(most, ++underWay)
          await Bun.sleep(30)
          underWay--
          return null
        }
        await until(async () => {
          await journey.reads(10)
          return copies >= 3
        }, 'it was tried')
        expect(most).toBe(1)
        await journey.reportedUnderLoad('bad', ({ state }) => state === 'used')
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'keeps no place for copies that were answered with megabytes',
    async () => {
      await outage(async ({ bad, good, journey }) => {
        for (const node of [bad, good]) node.answers.eth_call = `0x${'ab'.repeat(200_000)}`
        bad.misbehave = () => status(500)
        await journey.reported('bad', ({ state }) => state === 'excluded')
        await heal(bad)
        await until(async () => {
          await journey.gate.post(rpc('eth_call', [{}, `0x${Date.now().toString(16)}`]))
          return bad.callsOf('eth_call') > 0
        }, 'it was tried')
        await journey.reported('bad', ({ in_flight }) => in_flight === 0)
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'rests longer each time it fails its trial',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = () => status(500)
        await journey.reported('bad', ({ state }) => state === 'excluded')
        const before = bad.callsOf('eth_getBalance')
        const endsAtMs = Date.now() + 4000
        while (Date.now() < endsAtMs) await journey.reads(20)
        // Tried after 1, 2 and 4 seconds, by one copy each, of hundreds of reads.
        expect(bad.callsOf('eth_getBalance') - before).toBeLessThanOrEqual(4)
      })
    },
    OUTAGE_MS_MAX,
  )

  test(
    'is left in peace for as long as it asked for',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = (method) =>
          method === 'eth_getBalance' ? status(429, { 'retry-after': '3' }) : null
        await journey.reportedUnderLoad('bad', ({ state }) => state === 'excluded')
        bad.misbehave = null
        const before = bad.callsOf('eth_getBalance')
        const endsAtMs = Date.now() + 1500
        while (Date.now() < endsAtMs) await journey.reads(20)
        expect(bad.callsOf('eth_getBalance')).toBe(before)
        expect((await journey.report('bad')).reason).toBe('rate-limited by the upstream')
        await journey.reportedUnderLoad('bad', ({ state }) => state === 'used')
      })
    },
    OUTAGE_MS_MAX,
  )
})

describe('a node that is dead from the start', () => {
  test(
    'does not keep the gateway from starting, and joins when it is up',
    async () => {
      const bad = await startTcpNode('bad')
      bad.cut()
      const journey = await poolJourney([bad, startFakeNode('good')])
      try {
        await journey.reported('good', ({ head }) => head !== null)
        await journey.reads(50)
        const told = await journey.reported('bad', ({ last_fault }) => last_fault !== null)
        expect(told).toMatchObject({ state: 'excluded', last_fault: 'unreachable', head: null })
        await bad.mend()
        await journey.reportedUnderLoad('bad', ({ state }) => state === 'used')
      } finally {
        await journey.stop()
      }
    },
    OUTAGE_MS_MAX,
  )
})

describe('when no node is left', () => {
  test('the caller is told so, at no cost, and not where the nodes are', async () => {
    const one = await startTcpNode('one')
    const two = await startTcpNode('two')
    const journey = await poolJourney([one, two])
    try {
      one.cut()
      two.cut()
      const {
        status: code,
        text,
        json,
        headers,
      } = await journey.gate.post(rpc('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest'], 5))
      expect(code).toBe(503)
      expect(json).toMatchObject({ id: 5, error: { code: -32603 } })
      expect(headers.get('x-headgate-cu')).toBe('0')
      expect(text).not.toMatch(/127\.0\.0\.1|secret-path|one|two:/)
    } finally {
      await journey.stop()
    }
  })

  test('and when all hang, that it took too long', async () => {
    const one = startFakeNode('one')
    const journey = await poolJourney([one], { upstreams: [{ timeoutMs: 300 }] })
    try {
      one.misbehave = hang
      const { status: code, json } = await journey.gate.post(
        rpc('eth_getBalance', [`0x${'11'.repeat(20)}`, 'latest']),
      )
      expect(code).toBe(504)
      expect(json.error.code).toBe(-32603)
    } finally {
      await journey.stop()
    }
  })
})
