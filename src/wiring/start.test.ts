import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeNode, startFakeNode } from '../../tests/support/nodes/fake-node.ts'
import { freePort } from '../../tests/support/nodes/free-port.ts'
import { ConfigFaults, loadSettings, type Settings } from '../config/config.ts'
import { openEmbeddedDrivers } from './embedded-drivers.ts'
import { type ProcessDrivers, upgradeStore } from './process-drivers.ts'
import { start, startOn } from './start.ts'

let folder: string
let node: FakeNode

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'headgate-start-'))
  node = await startFakeNode()
})

afterAll(async () => {
  await node.stop()
  rmSync(folder, { recursive: true, force: true })
})

const NO_LOG = () => {}

function settings(env: Record<string, string> = {}): Settings {
  const network = {
    id: 'ETH_MAINNET',
    kind: 'evm',
    chainId: 1,
    verify: 'off',
    upstreams: upstreams(),
  }
  const loaded = loadSettings({
    env: {
      HEADGATE_LISTEN: '127.0.0.1:0',
      HEADGATE_DATA: folder,
      HEADGATE_NETWORKS: JSON.stringify([network]),
      ...env,
    },
  })
  if (loaded instanceof ConfigFaults) throw new Error(loaded.text)
  return loaded
}

/** Drivers that know what is still open, with a store that fails at one of its calls. */
function watched(drivers: ProcessDrivers, callsBeforeFailure = Number.POSITIVE_INFINITY) {
  const timers = new Set<object>()
  const subscriptions = new Set<object>()
  let calls = 0
  let isClosed = false
  const fail = <T>(call: () => Promise<T>): Promise<T> =>
    ++calls > callsBeforeFailure ? Promise.reject(new Error('the store failed')) : call()

  const { clock, database, signals } = drivers
  const database_: ProcessDrivers['database'] = {
    ...database,
    query: (statement) => fail(() => database.query(statement)),
    each: (statement, rows) => fail(() => database.each(statement, rows)),
    transaction: (work) => fail(() => database.transaction(work)),
  }
  const counted = (set: Set<object>, stop: () => void) => {
    const one = {}
    set.add(one)
    return () => {
      set.delete(one)
      stop()
    }
  }
  const clock_: ProcessDrivers['clock'] = {
    ...clock,
    every: (periodMs, work) => counted(timers, clock.every(periodMs, work)),
  }
  const signals_: ProcessDrivers['signals'] = {
    ...signals,
    subscribe: (topic, listener) => counted(subscriptions, signals.subscribe(topic, listener)),
  }
  const close = async () => {
    await drivers.close()
    isClosed = true
  }
  return {
    drivers: { ...drivers, clock: clock_, database: database_, signals: signals_, close },
    calls: () => calls,
    leftOpen: () => ({
      timers: timers.size,
      subscriptions: subscriptions.size,
      isClosed,
    }),
  }
}

const NOTHING_OPEN = { timers: 0, subscriptions: 0, isClosed: true }

/** What a start comes to, and what it left open. */
async function tried(given: Settings, callsBeforeFailure?: number) {
  const on = watched(await openEmbeddedDrivers(given, NO_LOG), callsBeforeFailure)
  const end = await startOn(on.drivers, given).catch((thrown: unknown) => thrown as Error)
  return { end, leftOpen: on.leftOpen }
}

describe('a start that fails leaves nothing open', () => {
  test('at whichever call of the store it fails', async () => {
    let calls = 0
    for (; ; calls++) {
      const { end, leftOpen } = await tried(settings(), calls)
      if (!(end instanceof Error)) {
        if (Array.isArray(end)) throw new Error(end.join())
        await end.stop()
        expect(leftOpen()).toEqual(NOTHING_OPEN)
        break
      }
      expect(end.message).toBe('the store failed')
      expect(leftOpen()).toEqual(NOTHING_OPEN)
    }
    expect(calls).toBeGreaterThan(5)
  })

  test('when another program has the port', async () => {
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const given = settings({ HEADGATE_LISTEN: `127.0.0.1:${other.port}` })
    const { end, leftOpen } = await tried(given)
    expect(end).toBeInstanceOf(Error)
    expect(leftOpen()).toEqual(NOTHING_OPEN)
  })

  test('when another program has the port of the metrics: nobody is listened to any more', async () => {
    using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const port = freePort()
    const given = settings({
      HEADGATE_LISTEN: `127.0.0.1:${port}`,
      HEADGATE_METRICS_LISTEN: `127.0.0.1:${other.port}`,
    })
    const { end, leftOpen } = await tried(given)
    expect(end).toBeInstanceOf(Error)
    expect(leftOpen()).toEqual(NOTHING_OPEN)
    expect(isFree(port)).toBe(true)
  })

  test('when an upstream is on another chain', async () => {
    const port = freePort()
    const network = { id: 'ETH_MAINNET', kind: 'evm', chainId: 2, upstreams: upstreams() }
    const given = settings({
      HEADGATE_LISTEN: `127.0.0.1:${port}`,
      HEADGATE_NETWORKS: JSON.stringify([network]),
    })
    const { end, leftOpen } = await tried(given)
    expect(end).toEqual([expect.stringContaining('is on chain 1, not 2')])
    expect(leftOpen()).toEqual(NOTHING_OPEN)
    expect(isFree(port)).toBe(true)
  })

  test.if(existsSync('/proc/self/stat'))(
    'with chains of its own: their processes end',
    async () => {
      const own = mkdtempSync(join(tmpdir(), 'headgate-start-'))
      const local = loadSettings({ env: { HEADGATE_LISTEN: '127.0.0.1:0', HEADGATE_DATA: own } })
      if (local instanceof ConfigFaults) throw new Error(local.text)
      const before = childPids()
      // The store of a new folder is set up in one call; the next is for the chains.
      const { end, leftOpen } = await tried(local, await callsToUpgrade(own))
      expect(end).toBeInstanceOf(Error)
      expect(leftOpen()).toEqual(NOTHING_OPEN)
      expect(childPids()).toEqual(before)
      rmSync(own, { recursive: true, force: true })
    },
  )
})

test('a folder whose secret is lost is free again after the refusal', async () => {
  const own = mkdtempSync(join(tmpdir(), 'headgate-start-'))
  const given = settings({ HEADGATE_DATA: own })
  await (await openEmbeddedDrivers(given, NO_LOG)).close()
  rmSync(join(own, 'instance-secret'))
  await expect(start(given, NO_LOG)).rejects.toThrow()
  const secret = 'ab'.repeat(32)
  const drivers = await openEmbeddedDrivers(
    settings({ HEADGATE_DATA: own, HEADGATE_SECRET: secret }),
  )
  await drivers.close()
  rmSync(own, { recursive: true, force: true })
})

function upstreams() {
  return [{ name: 'node-a', url: node.url }]
}

/** How often a store in a new folder is called before it has its form. */
async function callsToUpgrade(data: string): Promise<number> {
  const on = watched(await openEmbeddedDrivers(settings({ HEADGATE_DATA: data }), NO_LOG))
  await upgradeStore(on.drivers)
  await on.drivers.close()
  const again = watched(await openEmbeddedDrivers(settings({ HEADGATE_DATA: data }), NO_LOG))
  await upgradeStore(again.drivers)
  await again.drivers.close()
  return again.calls()
}

function isFree(port: number): boolean {
  using server = Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() })
  return server.port === port
}

/** The processes that this one has started and that still run. */
function childPids(): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => {
    try {
      const [, parent] = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return Number(parent) === process.pid
    } catch {
      return false
    }
  })
}
