import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import { type TestClock, testClock } from '../../tests/support/basics/test-clock.ts'
import { testWorld } from '../../tests/support/basics/test-world.ts'
import type { Database } from '../ports/database.ts'
import { type NetworkLease, openNetworkLeases } from './network-leases.ts'

const NETWORKS = ['A', 'B', 'C', 'D', 'E', 'F', 'G']

/** Longer than leases last and those who want them look. */
const TAKEOVER_MS = 14_000
/** A few looks of everybody. */
const SETTLED_MS = 20_000
const STEP_MS = 500

type Process = {
  held(): string[]
  /** Ends without a word. */
  kill(): void
  stop(): Promise<void>
  silent: Set<string>
  /** How often it has asked the store. */
  asked(): number
  /** Heard from its nodes again. */
  hear(network: string): void
}

let db: Database
let clock: TestClock
let processes: Process[]
let count: number
beforeEach(async () => {
  db = await freshStore()
  clock = testClock()
  processes = []
  count = 0
})
afterEach(async () => {
  await Promise.all(processes.map((one) => one.stop()))
  await db.close()
})

function start(networks: readonly string[] = NETWORKS, deafTo: readonly string[] = []): Process {
  let isAlive = true
  const whileAlive = <T>(work: () => T): T | Promise<never> =>
    isAlive ? work() : Promise.reject(new Error('the process has ended'))
  let asked = 0
  const database: Database = {
    ...db,
    query(text) {
      asked += 1
      return whileAlive(() => db.query(text))
    },
  }
  const leases = openNetworkLeases(testWorld({ clock, database }), `process ${++count}`)
  const silent = new Set(deafTo)
  const held = new Map<string, NetworkLease>()
  for (const network of networks) {
    const candidate = { canFollow: () => !silent.has(network), renewed() {} }
    held.set(network, leases.hold(network, candidate))
  }
  const one: Process = {
    silent,
    asked: () => asked,
    held: () => [...held].filter(([, lease]) => lease.held()).map(([network]) => network),
    hear: (network) => held.get(network)?.headSeen(),
    kill() {
      isAlive = false
    },
    async stop() {
      await Promise.all([...held.values()].map((lease) => lease.release()))
    },
  }
  processes.push(one)
  return one
}

/** Time goes on for everybody, and nobody ever holds what another does. */
async function pass(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += STEP_MS) {
    await clock.advance(STEP_MS)
    await Bun.sleep(0)
    const held = processes.flatMap((one) => one.held())
    expect(new Set(held).size).toBe(held.length)
  }
}

const shares = () => processes.map((one) => one.held().length)

describe('networks are followed', () => {
  test('all by a process that is alone', async () => {
    const alone = start()
    await pass(STEP_MS)
    expect(alone.held()).toEqual(NETWORKS)
  })

  test('by no process more than its share, rounded up, whoever came first', async () => {
    start()
    await pass(SETTLED_MS)
    start()
    await pass(SETTLED_MS)
    expect(shares()).toEqual([4, 3])
    start()
    await pass(SETTLED_MS)
    expect(Math.max(...shares())).toBe(3)
    expect(processes.flatMap((one) => one.held()).toSorted()).toEqual(NETWORKS)
  })

  test('by those that are left, when one ends with or without a word', async () => {
    const [first, second, third] = [start(), start(), start()]
    await pass(SETTLED_MS)
    second.kill()
    await pass(TAKEOVER_MS)
    expect(shares().toSorted()).toEqual([0, 3, 4])
    await third.stop()
    await pass(4_000)
    expect(first.held()).toEqual(NETWORKS)
  })

  test('by the same process for as long as the same processes run', async () => {
    start()
    start()
    await pass(SETTLED_MS)
    const before = processes.map((one) => one.held())
    for (let at = 0; at < 10; at++) {
      await pass(SETTLED_MS)
      expect(processes.map((one) => one.held())).toEqual(before)
    }
  })

  test('by whoever serves them, however many serve others', async () => {
    const [many, few] = [start(), start(['G', 'H'])]
    await pass(SETTLED_MS)
    expect(many.held()).toEqual(expect.arrayContaining(NETWORKS.slice(0, -1)))
    expect(few.held()).toContain('H')
    expect(shares().reduce((sum, share) => sum + share, 0)).toBe(8)
  })

  test('by another, when its nodes tell a process of no blocks', async () => {
    const [first, second] = [start(['A']), start(['A'])]
    await pass(SETTLED_MS)
    const [holder, other] = first.held().length > 0 ? [first, second] : [second, first]
    holder.silent.add('A')
    await pass(TAKEOVER_MS)
    expect(other.held()).toEqual(['A'])
    holder.silent.delete('A')
    await pass(SETTLED_MS)
    expect(other.held()).toEqual(['A'])
  })

  test('by a process that is alone, whether its nodes are silent or not', async () => {
    const alone = start(['A'])
    await pass(SETTLED_MS)
    alone.silent.add('A')
    for (let at = 0; at < SETTLED_MS; at += STEP_MS) {
      await pass(STEP_MS)
      expect(alone.held()).toEqual(['A'])
    }
  })

  test('without a question for each block of a node that is not believed', async () => {
    const deaf = start(['A'], ['A'])
    await pass(STEP_MS)
    const before = deaf.asked()
    for (let head = 0; head < 100; head++) {
      deaf.hear('A')
      await Bun.sleep(0)
    }
    expect(deaf.asked()).toBe(before)
  })

  test('by whichever process hears of blocks first, not by one that came before it', async () => {
    const deaf = start(['A'], ['A'])
    await pass(SETTLED_MS)
    expect(deaf.held()).toEqual(['A'])
    const late = start(['A'], ['A'])
    await pass(SETTLED_MS)
    expect(deaf.held()).toEqual(['A'])
    late.silent.delete('A')
    late.hear('A')
    await pass(TAKEOVER_MS)
    expect(late.held()).toEqual(['A'])
  })
})
