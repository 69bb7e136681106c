import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeNode, NodeError } from '../../support/nodes/fake-node.ts'
import { type PoolJourney, poolJourney } from '../../support/nodes/pool-journey.ts'
import { startTcpNode, type TcpNode } from '../../support/nodes/tcp-node.ts'
import { rpc, startHeadgate } from '../../support/product/headgate.ts'
import { newApp, newTeam } from '../../support/product/teams.ts'

const METHODS = ['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter']

describe('a filter', () => {
  test('is asked of the node that made it, whatever others are there', async () => {
    // One node alone has no room for all of them at once.
    const upstreams = [{ concurrencyMax: 20 }, { concurrencyMax: 20 }]
    await nodes(async ({ all, ask }) => {
      holdUntilAllAsked(all)
      const made = Array.from({ length: 30 }, (_, at) => ask(METHODS[at % 3] ?? '', [{}]))
      const ids: string[] = await Promise.all(made)
      expect(new Set(ids).size).toBe(30)
      for (let round = 0; round < 3; round++) {
        for (const id of ids) {
          const [owner] = (await ask('eth_getFilterChanges', [id])) as [string]
          expect(owner).toBe('mine')
        }
      }
      for (const id of ids) expect(await ask('eth_uninstallFilter', [id])).toBe(true)
      for (const node of all) expect(node.callsOf('eth_getFilterChanges')).toBeGreaterThan(0)
    }, upstreams)
  })

  test('is reached under the id that the node gave it', async () => {
    await nodes(async ({ all, ask }) => {
      const id = await ask('eth_newFilter', [{}])
      await ask('eth_getFilterLogs', [id])
      const asked = all.flatMap(({ calls }) =>
        calls.filter(({ method }) => method === 'eth_getFilterLogs'),
      )
      expect(asked.length).toBe(1)
      expect(asked[0]?.params[0]).toMatch(/^0x[0-9a-f]{32}$/)
      expect(asked[0]?.params[0]).not.toBe(id)
    })
  })

  test.each([
    ['never made', '0x1'],
    ['of a node that is not there', `0xf000000${'1'.repeat(48)}`],
    [
      'signed by nobody',
      `0xf${Bun.hash.crc32('one').toString(16).padStart(8, '0').slice(0, 6)}${'1'.repeat(48)}`,
    ],
    ['endless', `0xf${'1'.repeat(1_000_000)}`],
    ['of no form at all', 'latest'],
    ['missing', undefined],
    ['a number', 7],
    ['an object', {}],
  ])('that was %s is not found, in the words of a node', async (_how, id) => {
    await nodes(async ({ journey, all }) => {
      const params = id === undefined ? [] : [id]
      const { status, json } = await journey.gate.post(rpc('eth_getFilterChanges', params))
      expect(status).toBe(200)
      expect(json.error).toEqual({ code: -32000, message: 'filter not found' })
      for (const node of all) expect(node.callsOf('eth_getFilterChanges')).toBe(0)
    })
  })

  test('is never asked of another node when its own is away', async () => {
    await nodes(async ({ all, ask, journey }) => {
      const id = await ask('eth_newFilter', [{}])
      const owner = all.find((node) => node.callsOf('eth_newFilter') === 1)
      const other = all.find((node) => node !== owner)
      owner?.cut()
      const { status } = await journey.gate.post(rpc('eth_getFilterChanges', [id]))
      expect(status).toBe(503)
      expect(other?.callsOf('eth_getFilterChanges')).toBe(0)
      await owner?.mend()
      expect(await ask('eth_getFilterChanges', [id])).toEqual(['mine'])
    })
  })

  test('is made by another node when the first cannot', async () => {
    await nodes(async ({ all, ask }) => {
      for (const node of all) {
        node.answers.eth_newFilter = () => {
          if (all.some((one) => one !== node && one.callsOf('eth_newFilter') > 0)) return '0xab'
          throw new NodeError(-32601, 'the method eth_newFilter does not exist')
        }
      }
      expect(await ask('eth_newFilter', [{}])).toMatch(/^0xf[0-9a-f]{22}ab$/)
    })
  })

  test('works from within a batch', async () => {
    await nodes(async ({ ask, journey }) => {
      const id = await ask('eth_newFilter', [{}])
      const { json } = await journey.gate.post([
        rpc('eth_getFilterChanges', [id], 1),
        rpc('eth_chainId', [], 2),
      ])
      expect(json).toEqual([
        { jsonrpc: '2.0', id: 1, result: ['mine'] },
        { jsonrpc: '2.0', id: 2, result: '0x1' },
      ])
    })
  })
})

describe('a filter belongs to the app that made it', () => {
  const NOT_FOUND = { code: -32000, message: 'filter not found' }

  test('and nobody else reads it or takes it down', async () => {
    await nodes(async ({ all, ask, journey }) => {
      const { gate } = journey
      const id = await ask('eth_newBlockFilter', [])
      const other = await newTeam(gate, 'free')
      const sibling = await newApp(gate, gate.teamToken)
      const heard = all.map(({ calls }) => calls.length)
      for (const key of [other.key, sibling.key, 'demo']) {
        for (const method of ['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter']) {
          const { status, json } = await gate.post(rpc(method, [id]), { key })
          expect([status, json.error]).toEqual([200, NOT_FOUND])
        }
      }
      const filterCalls = all.map(({ calls }, at) =>
        calls.slice(heard[at]).filter(({ method }) => method.includes('Filter')),
      )
      expect(filterCalls.flat()).toEqual([])
      expect(await ask('eth_getFilterChanges', [id])).toEqual(['mine'])
    })
  })

  test('of those who share the key `demo`, to the address that made it', async () => {
    await nodes(async ({ journey }) => {
      const demo = async (method: string, params: unknown[], from: string) => {
        const headers = { 'x-forwarded-for': from }
        return (await journey.gate.post(rpc(method, params), { key: 'demo', headers })).json
      }
      const { result: id } = await demo('eth_newFilter', [{}], '192.0.2.1')
      expect((await demo('eth_getFilterChanges', [id], '192.0.2.2')).error).toEqual(NOT_FOUND)
      expect((await demo('eth_getFilterChanges', [id], '192.0.2.1')).result).toEqual(['mine'])
    })
  })

  test('and every other digit makes it another', async () => {
    await nodes(async ({ ask, journey }) => {
      const id: string = await ask('eth_newFilter', [{}])
      const tampered = Array.from(id.slice(2), (digit, at) => {
        const changed = digit === '0' ? '1' : (Number.parseInt(digit, 16) ^ 1).toString(16)
        return `${id.slice(0, at + 2)}${changed}${id.slice(at + 3)}`
      })
      tampered.push(id.slice(0, -1), `${id}0`, `${id} `, id.replace('0xf', '0xb'))
      const calls = tampered.map((one, at) => rpc('eth_uninstallFilter', [one], at))
      const { json } = await journey.gate.post(calls)
      for (const { error } of json) expect(error).toEqual(NOT_FOUND)
      expect(await ask('eth_getFilterChanges', [id])).toEqual(['mine'])
    })
  })

  test('however its id is spelled', async () => {
    await nodes(async ({ ask, all }) => {
      const id: string = await ask('eth_newFilter', [{}])
      const spelled = [`0x${id.slice(2).toUpperCase()}`, `0x0${id.slice(2)}`, id]
      for (const one of spelled) expect(await ask('eth_getFilterChanges', [one])).toEqual(['mine'])
      for (const node of all) node.answers.eth_newFilter = '0x00AB'
      for (const node of all) node.answers.eth_getFilterChanges = ([own]: [string]) => [own]
      const zeros = await ask('eth_newFilter', [{}])
      expect(await ask('eth_getFilterChanges', [zeros])).toEqual(['0x00ab'])
    })
  })

  test('and outlives a restart', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'headgate-filters-'))
    const node = await startTcpNode('one')
    keepsFilters(node)
    const first = await startHeadgate({ nodes: [node], dataFolder })
    const { json } = await first.post(rpc('eth_newFilter', [{}]))
    await first.stop()
    const second = await startHeadgate({ nodes: [node], dataFolder })
    const changes = await second.post(rpc('eth_getFilterChanges', [json.result]))
    expect(changes.json.result).toEqual(['mine'])
    await second.stop()
    node.stop()
    rmSync(dataFolder, { recursive: true, force: true })
  })
})

type Given = {
  all: TcpNode[]
  journey: PoolJourney
  // biome-ignore lint/suspicious/noExplicitAny: results have every shape.
  ask(method: string, params: unknown[]): Promise<any>
}

async function nodes(
  run: (given: Given) => Promise<void>,
  upstreams: { concurrencyMax: number }[] = [],
): Promise<void> {
  const all = [await startTcpNode('one'), await startTcpNode('two')]
  for (const node of all) keepsFilters(node)
  const env = { HEADGATE_DEMO_KEY: 'true', HEADGATE_TRUST_PROXY: 'true' }
  const journey = await poolJourney(all, { env, upstreams })
  const ask = async (method: string, params: unknown[]) => {
    const { json } = await journey.gate.post(rpc(method, params))
    expect(json.error).toBeUndefined()
    return json.result
  }
  try {
    await journey.allHealthy()
    await run({ all, journey, ask })
  } finally {
    await journey.stop()
  }
}

/** No node makes a filter until every node has been asked for one. */
function holdUntilAllAsked(all: readonly FakeNode[]): void {
  const asked = new Set<FakeNode>()
  const { promise: allAsked, resolve } = Promise.withResolvers<void>()
  for (const node of all) {
    node.misbehave = async (method) => {
      if (!METHODS.includes(method)) return null
      if (asked.add(node).size === all.length) resolve()
      await allAsked
      return null
    }
  }
}

/** Knows its own filters and no others, as a node does. */
function keepsFilters(node: FakeNode): void {
  const made = new Set<string>()
  const own = ([id]: [string]) => {
    if (!made.has(id)) throw new NodeError(-32000, 'filter not found')
    return ['mine']
  }
  for (const method of METHODS) {
    node.answers[method] = () => {
      const id = `0x${Bun.hash(`${node.name}${made.size}`).toString(16).padStart(32, '0')}`
      made.add(id)
      return id
    }
  }
  node.answers.eth_getFilterChanges = own
  node.answers.eth_getFilterLogs = own
  node.answers.eth_uninstallFilter = ([id]: [string]) => made.delete(id)
}
