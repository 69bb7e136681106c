import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { type TestClock, testClock } from '../../../tests/support/basics/test-clock.ts'
import { Failure } from '../../core/errors.ts'
import { type Sql, sql } from '../../ports/database.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import { openPostgresPool, type PostgresPool } from './postgres-pool.ts'

const LIMITS = {
  connectionsMax: 3,
  waitingMax: 10,
  waitMs: 30_000,
  silentMs: 1000,
  probeMs: 3000,
  answerMs: 70_000,
}

/** Longer than a connection may be silent, so that one probe has answered. */
const ONE_PROBE_MS = 1600
const NEXT_PROBE_MS = 600

let clock: TestClock
let pool: PostgresPool
let opened: number
/** The sessions that the server reports, with their states. */
let states: Record<string, string>
let probes: number
let statement: PromiseWithResolvers<Record<string, string>[]>

beforeEach(() => {
  clock = testClock()
  opened = 0
  probes = 0
  states = {}
  statement = Promise.withResolvers()
  pool = openPostgresPool({ clock, servers: [{ connect }], isPooled: false }, LIMITS)
})
afterEach(() => pool.close())

function connect(): PostgresConnection {
  const session = `session ${++opened}`
  let sinceMs: number | null = null
  const { promise: closed, reject: breakOff } = Promise.withResolvers<never>()
  closed.catch(() => {})
  let isBroken = false
  const answer = async ({ parts }: Sql) => {
    const [text = ''] = parts
    if (text.startsWith('SHOW')) return [{ transaction_read_only: 'off' }]
    if (text.includes('pg_walfile_name')) return [{ timeline: '00000001' }]
    if (!text.includes('pg_stat_activity')) return Promise.race([statement.promise, closed])
    probes += 1
    return Object.entries(states).map(([name, state]) => ({ session: name, state }))
  }
  const unused = async () => {
    throw new Error('not used here')
  }
  return {
    async run(asked) {
      sinceMs = clock.monotonicMs()
      try {
        return await answer(asked)
      } finally {
        sinceMs = null
      }
    },
    each: unused,
    begin: unused,
    commit: unused,
    rollback: unused,
    isBroken: () => isBroken,
    isWorn: () => false,
    waitingSinceMs: () => sinceMs,
    session: () => session,
    async close() {
      isBroken = true
      breakOff(new Failure('database_unavailable', { code: 'closed' }))
    },
  }
}

const ask = () => pool.use((connection) => connection.run(sql`SELECT 1`))

describe('a statement without an answer', () => {
  test('that the server still works on is waited for', async () => {
    states = { 'session 1': 'active' }
    const asked = ask()
    await clock.advance(ONE_PROBE_MS + 10 * NEXT_PROBE_MS)
    expect(probes).toBeGreaterThan(5)
    statement.resolve([{ one: '1' }])
    expect(await asked).toEqual([{ one: '1' }])
  })

  test('that the server has just answered is waited for', async () => {
    states = { 'session 1': 'idle' }
    const asked = ask()
    await clock.advance(ONE_PROBE_MS)
    expect(probes).toBe(1)
    statement.resolve([{ one: '1' }])
    expect(await asked).toEqual([{ one: '1' }])
  })

  test('fails at the second probe when the server has nothing to do for it', async () => {
    states = { 'session 1': 'idle' }
    const failure = failureOf(ask())
    await clock.advance(ONE_PROBE_MS + NEXT_PROBE_MS)
    expect([await failure, probes]).toMatchObject([{ code: 'database_unavailable' }, 2])
  })

  test('fails at the first probe when the server does not have its connection', async () => {
    const failure = failureOf(ask())
    await clock.advance(ONE_PROBE_MS)
    expect([await failure, probes]).toMatchObject([{ code: 'database_unavailable' }, 1])
  })
})
