import { describe, expect, test } from 'bun:test'
import { fakeConnection } from '../../../tests/support/nodes/fake-connection.ts'
import { openIdlePool } from './idle-pool.ts'

const PER_ORIGIN_MAX = 64
const TOTAL_MAX = 200
const LONG_MS = 60_000

const open = () => openIdlePool({ perOriginMax: PER_ORIGIN_MAX, totalMax: TOTAL_MAX })

describe('idle connections', () => {
  test('are taken by where they lead, the last one first', () => {
    const pool = open()
    const [one, two, other] = [fakeConnection(), fakeConnection(), fakeConnection()]
    pool.keep('a', one, LONG_MS)
    pool.keep('b', other, LONG_MS)
    pool.keep('a', two, LONG_MS)
    expect(pool.take('a', 0)).toBe(two)
    expect(pool.take('a', 0)).toBe(one)
    expect(pool.take('a', 0)).toBeUndefined()
    expect(pool.count()).toBe(1)
  })

  test('are not taken when their time is over, even if nobody has swept yet', () => {
    const pool = open()
    const connection = fakeConnection()
    pool.keep('a', connection, 500)
    expect(pool.take('a', 500)).toBeUndefined()
    expect(connection.state).toBe('ended')
  })

  test('end when their time is over, and the others stay', () => {
    const pool = open()
    const [brief, long] = [fakeConnection(), fakeConnection()]
    pool.keep('a', brief, 500)
    pool.keep('a', long, 501)
    pool.sweep(500)
    expect([brief.state, long.state]).toEqual(['ended', 'open'])
    expect(pool.take('a', 500)).toBe(long)
  })

  test.each([false, true])('leave when the other side does (torn down: %p)', (isBroken) => {
    const pool = open()
    const [first, second, third] = [fakeConnection(), fakeConnection(), fakeConnection()]
    for (const connection of [first, second, third]) pool.keep('a', connection, LONG_MS)
    second.close(isBroken)
    expect(pool.count()).toBe(2)
    expect([pool.take('a', 0), pool.take('a', 0), pool.take('a', 0)]).toEqual([
      third,
      first,
      undefined,
    ])
  })

  test('are torn down when something comes that nobody asked for', () => {
    const pool = open()
    const connection = fakeConnection()
    pool.keep('a', connection, LONG_MS)
    connection.say('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')
    expect(connection.state).toBe('terminated')
    expect(pool.take('a', 0)).toBeUndefined()
  })

  test('are nobody’s once they are taken', () => {
    const pool = open()
    const connection = fakeConnection()
    pool.keep('a', connection, 500)
    pool.take('a', 0)
    pool.sweep(LONG_MS)
    pool.close()
    expect([connection.state, connection.owner]).toEqual(['open', null])
  })

  test('are limited in all: those unused for longest go', () => {
    const pool = open()
    const connections = Array.from({ length: TOTAL_MAX * 5 }, fakeConnection)
    for (const [at, connection] of connections.entries()) {
      pool.keep(`origin ${at % 20}`, connection, LONG_MS)
      expect(pool.count()).toBeLessThanOrEqual(TOTAL_MAX)
    }
    expect(pool.count()).toBeGreaterThan(TOTAL_MAX / 2)
    const kept = connections.filter(({ state }) => state === 'open')
    expect(kept).toEqual(connections.slice(-pool.count()))
  })

  test('cost nothing once they are gone, however many origins there were', () => {
    const pool = open()
    for (let origin = 0; origin < TOTAL_MAX * 50; origin++) {
      pool.keep(`${origin}`, fakeConnection(), LONG_MS)
      pool.take(`${origin}`, 0)
    }
    expect(pool.count()).toBe(0)
    const last = fakeConnection()
    pool.keep('a', last, LONG_MS)
    expect(pool.take('a', 0)).toBe(last)
  })

  test('are limited for each origin: the new one goes', () => {
    const pool = open()
    const connections = Array.from({ length: PER_ORIGIN_MAX + 1 }, fakeConnection)
    for (const connection of connections) pool.keep('a', connection, LONG_MS)
    expect(connections.filter(({ state }) => state === 'ended')).toEqual(connections.slice(-1))
  })

  test('all end at the close, and so does one that comes later', () => {
    const pool = open()
    const [early, late] = [fakeConnection(), fakeConnection()]
    pool.keep('a', early, LONG_MS)
    pool.close()
    pool.keep('a', late, LONG_MS)
    expect([early.state, late.state]).toEqual(['ended', 'ended'])
    expect(pool.count()).toBe(0)
  })
})
