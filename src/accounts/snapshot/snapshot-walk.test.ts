import { afterEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { fastClock } from '../../../tests/support/basics/fast-clock.ts'
import { keysOf } from '../../../tests/support/nodes/account-node.ts'
import { until } from '../../../tests/support/product/headgate.ts'
import { accountStages } from '../../../tests/support/solana/account-stages.ts'

const stages = accountStages()

afterEach(() => stages.closeAll())

type Record = { pubkey: string }

const keysIn = (records: Record[]) => records.map(({ pubkey }) => pubkey)

/** Long enough to come as a stream. */
const MANY = 2000

describe('a node that does not sort', () => {
  test('is sorted', async () => {
    const { node, stage } = await stages.open(MANY)
    node.order = 'shuffled'
    const walked = await stage.walk({ limit: 300 })
    expect(walked.keys).toEqual(keysOf(node))
  })

  test('is sorted backwards, too', async () => {
    const { node, stage } = await stages.open(500)
    node.order = 'shuffled'
    const walked = await stage.walk({ limit: 70, order: 'desc' })
    expect(walked.keys).toEqual(keysOf(node).reverse())
  })

  test('when it used to sort: nothing wrong is passed off as an answer, and the next is right', async () => {
    const { node, stage } = await stages.open(MANY)
    await stage.warmUp()
    node.order = 'shuffled'
    const first = await stage.ask().catch(() => null)
    if (first) expect(keysIn(first.reply.result)).toEqual(keysOf(node))
    expect(keysIn((await stage.ask()).reply.result)).toEqual(keysOf(node))
  })

  test('and gives an account twice gives no answer', async () => {
    const { node, stage } = await stages.open(20)
    node.misbehave = twice(node.misbehave)
    expect(await failureOf(stage.ask())).toMatchObject({ code: 'upstream_answered_badly' })
  })
})

describe('an answer that breaks off', () => {
  test('before anything was passed on is asked of another node', async () => {
    const { node, other, stage } = await stages.open(MANY, { nodes: 2 })
    node.breakAfter = 1500
    const { reply, upstream } = await stage.ask()
    expect(keysIn(reply.result)).toEqual(keysOf(other))
    expect(upstream).toBe('node-1')
  })

  test('while it is passed on breaks the answer off', async () => {
    const { node, stage } = await stages.open(MANY)
    await stage.warmUp()
    node.breakAfter = 1500
    const stream = await stage.askStream()
    expect(await new Response(stream).text().catch(() => 'broken')).toBe('broken')
    node.breakAfter = null
    expect((await stage.ask()).reply.result).toHaveLength(MANY)
  })

  test('behind the first page makes the next pages expire, never shorter', async () => {
    const { node, stage } = await stages.open(MANY)
    await stage.warmUp()
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
    node.hold = { after: 1500, until }
    node.breakAfter = 1800
    const { pageKey } = (await stage.ask({ limit: 500 })).reply
    expect(pageKey).toBeString()
    const next = stage.ask({ limit: 1400, pageKey })
    goOn()
    expect(await next.then(({ reply }) => reply.error ?? reply).catch(() => 'broken')).toBe(
      'broken',
    )
    const { error } = (await stage.ask({ limit: 10, pageKey })).reply
    expect(error).toEqual({ code: -32602, message: 'pageKey has expired' })
  })

  test('of the only node is a failure', async () => {
    const { node, stage } = await stages.open(MANY)
    node.breakAfter = 1500
    expect(await failureOf(stage.ask())).toMatchObject({ code: 'upstream_answered_badly' })
  })
})

describe('a node that is too slow', () => {
  test('to begin is passed over for another', async () => {
    const { node, other, stage } = await stages.open(30, {
      nodes: 2,
      upstreams: [{ timeoutMs: 60 }, {}],
    })
    node.hold = { after: 0, until: new Promise(() => {}) }
    expect(keysIn((await stage.ask()).reply.result)).toEqual(keysOf(other))
  })

  test('in the middle of an answer is given up: the client sees it break', async () => {
    // A hundred times as fast, the half minute that a stream may be silent is soon over.
    const { node, stage } = await stages.open(MANY, { clock: fastClock(100) })
    await stage.warmUp()
    node.hold = { after: 1000, until: new Promise(() => {}) }
    const stream = await stage.askStream()
    expect(await new Response(stream).text().catch(() => 'broken')).toBe('broken')
  })
})

describe('a node that writes its context', () => {
  test('behind the records is understood', async () => {
    const { node, stage } = await stages.open(MANY)
    node.context = 'last'
    await stage.warmUp()
    const walked = await stage.walk({ limit: 999 })
    expect(walked).toEqual({ keys: keysOf(node), pages: 3, slot: 1000 })
  })

  test('not at all can serve what needs none, and nothing else', async () => {
    const { node, stage } = await stages.open(30)
    node.context = 'none'
    expect(keysIn((await stage.ask()).reply.result)).toEqual(keysOf(node))
    const failure = { code: 'upstream_answered_badly' }
    expect(await failureOf(stage.ask({ withContext: true }))).toMatchObject(failure)
    expect(await failureOf(stage.ask({ limit: 10 }))).toMatchObject(failure)
  })
})

describe('an upstream that cuts its answers into pages', () => {
  test('is asked for all of them', async () => {
    const { node, stage } = await stages.open(1000)
    node.pageSize = 300
    const { reply } = await stage.ask()
    expect(keysIn(reply.result)).toEqual(keysOf(node))
    expect(reply.pageKey).toBeUndefined()
    expect(node.callsOf('getProgramAccounts')).toBe(4)
  })

  test('of different moments is not believed', async () => {
    const { node, stage } = await stages.open(1000)
    node.pageSize = 300
    node.movesOn = true
    expect(await failureOf(stage.ask())).toMatchObject({ code: 'upstream_answered_badly' })
  })

  test('is left for one that does not', async () => {
    const { node, other, stage } = await stages.open(1000, { nodes: 2 })
    node.pageSize = 300
    node.movesOn = true
    const { reply, upstream } = await stage.ask()
    expect([keysIn(reply.result), upstream]).toEqual([keysOf(other), 'node-1'])
  })
})

describe('whoever asks the same', () => {
  test('shares one scan, whatever the size of the pages', async () => {
    const { node, stage } = await stages.open(MANY)
    const asked = await Promise.all([
      stage.ask(),
      stage.ask({ limit: 5 }),
      stage.ask({ limit: 100, withContext: true }),
      stage.walk({ limit: 999 }),
    ])
    expect(node.callsOf('getProgramAccounts')).toBe(1)
    expect(asked.slice(0, 3).map((one) => 'cache' in one && one.cache)).toEqual([
      'miss',
      'coalesced',
      'coalesced',
    ])
    expect(asked[3].keys).toEqual(keysOf(node))
  })

  test('a little later is asked for anew', async () => {
    const { node, stage } = await stages.open(30, { clock: fastClock(20) })
    await stage.ask()
    node.mine()
    await until(async () => (await stage.ask()).cache === 'miss', 'it is asked for again')
    expect((await stage.ask({ withContext: true })).reply.result.context.slot).toBe(1001)
  })

  test('gets the records as they come, before the scan is over', async () => {
    const { node, stage } = await stages.open(MANY)
    await stage.warmUp()
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
    node.hold = { after: 1500, until }
    const { reply } = await stage.ask({ limit: 1000 })
    expect(reply.result).toHaveLength(1000)
    const rest = stage.ask({ limit: 1000, pageKey: reply.pageKey })
    goOn()
    expect(keysIn((await rest).reply.result)).toEqual(keysOf(node).slice(1000))
  })
})

describe('a client that goes away', () => {
  test('ends the scan when nobody else wants it', async () => {
    const { node, stage } = await held()
    const stream = await stage.askStream()
    await stream.cancel()
    await until(() => node.cancelled === 1, 'the node is told')
    await until(() => stage.files().length === 0, 'nothing is left on the disk')
  })

  test('leaves the scan to whoever shares it', async () => {
    const { node, stage, goOn } = await held()
    const stream = await stage.askStream()
    const other = stage.ask()
    await stream.cancel()
    goOn()
    expect(keysIn((await other).reply.result)).toEqual(keysOf(node))
    expect(node.cancelled).toBe(0)
  })

  /** A node that stops in the middle of an answer which is passed on as it comes. */
  async function held() {
    const { node, stage } = await stages.open(MANY)
    await stage.warmUp()
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>()
    node.hold = { after: 1500, until }
    return { node, stage, goOn }
  }
})

describe('room on the disk', () => {
  test('that is not there makes an error before the first byte', async () => {
    const { node, stage } = await stages.open(2000, {
      dataBytes: 10_000,
      rules: { spillBytesMax: 1000 },
    })
    const { reply, upstream } = await stage.ask({ limit: 10 })
    expect(reply.error.code).toBe(-32603)
    expect(reply.error.message).toContain('more room')
    expect(upstream).toBeNull()
    await until(() => node.cancelled === 1, 'the node need not send the rest')
  })

  test('is made by forgetting the walk that was longest unused', async () => {
    const { stage } = await stages.open(2000, {
      dataBytes: 10_000,
      rules: { spillBytesMax: 40_000_000 },
    })
    const { pageKey: old } = (await stage.ask({ limit: 10 })).reply
    const slice = { encoding: 'base64', dataSlice: { offset: 0, length: 9000 } }
    const { pageKey: fresh } = (await stage.ask({ ...slice, limit: 10 })).reply
    const rest = await stage.ask({ ...slice, pageKey: fresh })
    expect(rest.reply.result).toHaveLength(1990)
    const { error } = (await stage.ask({ limit: 10, pageKey: old })).reply
    expect(error).toEqual({ code: -32602, message: 'pageKey has expired' })
  })

  test('is given back when the last page key has expired', async () => {
    const { stage } = await stages.open(2000, {
      dataBytes: 5000,
      clock: fastClock(100),
      rules: { pageKeyMs: 10_000 },
    })
    await stage.ask({ limit: 10 })
    await until(() => stage.files().length > 0, 'it is on the disk')
    await until(() => stage.files().length === 0, 'it is gone')
  })
})

test('no more scans run at once than may, and the others wait their turn', async () => {
  // Of three lanes, a team leaves the last one to others.
  const { node, stage } = await stages.open(30, { rules: { scansMax: 3 } })
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
  node.hold = { after: 0, until: held }
  const asked = [1, 2, 3, 4].map((length) =>
    stage.ask({ encoding: 'base64', dataSlice: { offset: 0, length } }),
  )
  await until(() => node.callsOf('getProgramAccounts') === 2, 'two are under way')
  await Bun.sleep(20)
  expect(node.callsOf('getProgramAccounts')).toBe(2)
  goOn()
  for (const { reply } of await Promise.all(asked)) expect(reply.result).toHaveLength(30)
  expect(node.callsOf('getProgramAccounts')).toBe(4)
})

test('a scan is told to operators', async () => {
  const { stage } = await stages.open(30)
  await stage.ask()
  expect(stage.telemetry.events).toContain('accounts_scan')
  expect(stage.telemetry.counts.get('headgate_account_scans_total')).toBe(1)
})

type Misbehave = (method: string, body: string) => Response | null | Promise<Response | null>

/** The same answers, with their first record once more at the end. */
function twice(misbehave: Misbehave | null): Misbehave {
  return async (method, body) => {
    const response = (await misbehave?.(method, body)) ?? null
    if (method !== 'getProgramAccounts' || response === null) return response
    const reply = JSON.parse(await response.text())
    reply.result.value.push(reply.result.value[0])
    return new Response(JSON.stringify(reply))
  }
}
