import { describe, expect, test } from 'bun:test'
import { hang, startFakeNode } from '../../support/nodes/fake-node.ts'
import {
  heal,
  OUTAGE_MS_MAX,
  OUTAGE_PACE,
  type Outage,
  outage,
  UNPOLLED,
} from '../../support/nodes/outage.ts'
import { poolJourney, type UpstreamReport } from '../../support/nodes/pool-journey.ts'
import { startTcpNode } from '../../support/nodes/tcp-node.ts'
import { rpc, until } from '../../support/product/headgate.ts'

const FAILING = /^failing: (resting before the next probe|being probed)$/

/** So many copies must be answered before a node that failed is trusted again. */
const COPIES_TO_TRUST = 3

/** So long a node asks for peace: longer than a busy machine takes for some reads. */
const PEACE_MS = 10_000

/** The time of the gateway that the outage is in. */
const nowMs = () => performance.now() * OUTAGE_PACE

const status = (code: number, headers = {}) => new Response('no', { status: code, headers })

/** Nothing is on its way there any more either, such as a read that was sent just before. */
const isOut = ({ state, in_flight }: UpstreamReport) => state === 'excluded' && in_flight === 0

describe.concurrent('a node that hangs', () => {
  test(
    'is left at once, and what it was given is answered by the other',
    async () => {
      await outage(async ({ bad, journey }) => {
        bad.misbehave = hang
        await journey.reads(40)
        const told = await journey.reported('bad', ({ reason }) => FAILING.test(reason))
        expect(told.state).toBe('excluded')
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
      const run = async ({ bad, journey }: Outage) => {
        bad.misbehave = () => status(500)
        await journey.reportedUnderLoad('bad', isOut)
        const held: (() => void)[] = []
        // Well again, but slow: what comes now are copies, and nobody waits for them.
        bad.misbehave = async (method) => {
          if (method === 'eth_getBalance') await new Promise<void>((go) => held.push(go))
          return null
        }
        for (let copies = 1; copies <= COPIES_TO_TRUST; copies++) {
          await until(async () => {
            await journey.reads(10)
            return held.length >= copies
          }, 'it was tried')
          await journey.reads(10)
          expect(held).toHaveLength(copies)
          // After the last one it is trusted, and gets reads of its own.
          if (copies === COPIES_TO_TRUST) bad.misbehave = null
          held.at(-1)?.()
        }
        await journey.reportedUnderLoad('bad', ({ state }) => state === 'used')
      }
      await outage(run, {}, UNPOLLED)
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
      const run = async ({ bad, journey }: Outage) => {
        bad.misbehave = () => status(500)
        await journey.reportedUnderLoad('bad', isOut)
        const triedAtMs: number[] = []
        bad.misbehave = (method) => {
          if (method === 'eth_getBalance') triedAtMs.push(nowMs())
          return status(500)
        }
        await until(async () => {
          await journey.reads(20)
          return triedAtMs.length >= 3
        }, 'it was tried three times')
        const [first = 0, second = 0, third = 0] = triedAtMs
        // By one copy of hundreds of reads, and the next one not before its rest is over.
        expect(second - first).toBeGreaterThanOrEqual(2000)
        expect(third - second).toBeGreaterThanOrEqual(4000)
      }
      await outage(run, {}, UNPOLLED)
    },
    OUTAGE_MS_MAX,
  )

  test(
    'is left in peace for as long as it asked for',
    async () => {
      await outage(async ({ bad, journey }) => {
        let refusedAtMs = 0
        bad.misbehave = (method) => {
          if (method !== 'eth_getBalance') return null
          refusedAtMs = nowMs()
          return status(429, { 'retry-after': `${PEACE_MS / 1000}` })
        }
        const told = await journey.reportedUnderLoad('bad', isOut)
        expect(told.reason).toBe('rate-limited by the upstream')
        const askedAtMs: number[] = []
        bad.misbehave = (method) => {
          if (method === 'eth_getBalance') askedAtMs.push(nowMs())
          return null
        }
        // What was refused before the gateway heard of it is answered by now.
        const endsAtMs = refusedAtMs + PEACE_MS
        let readsMeanwhile = 0
        while (nowMs() < endsAtMs) {
          await journey.reads(20)
          if (nowMs() < endsAtMs) readsMeanwhile += 20
        }
        expect(readsMeanwhile).toBeGreaterThan(0)
        expect(askedAtMs.filter((atMs) => atMs < endsAtMs)).toEqual([])
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
