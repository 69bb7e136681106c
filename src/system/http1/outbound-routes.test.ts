import { describe, expect, test } from 'bun:test'
import type { OutboundRequest } from '../../ports/outbound.ts'
import { openRoutes } from './outbound-routes.ts'

const ORIGINS_MAX = 1000

describe('the route of a request', () => {
  test('is made once for an address and its headers', () => {
    const routeOf = openRoutes<FakeConnection>()
    const asked = request('http://node.example/a', { 'x-key': 'k' })
    expect(routeOf(asked)).toBe(routeOf({ ...asked, body: 'other' }))
    expect(routeOf(asked).start).toBe('POST /a HTTP/1.1\r\nhost: node.example\r\nx-key: k\r\n')
    const elsewhere = routeOf({ ...asked, url: 'http://node.example/b' })
    expect(elsewhere.start).toStartWith('POST /b ')
    expect(routeOf(asked).start).toStartWith('POST /a ')
  })

  test('shares the connections of its host, and of its port, with others', () => {
    const routeOf = openRoutes<FakeConnection>()
    const home = routeOf(request('http://node.example/a')).home
    expect(routeOf(request('http://NODE.example:80/b?c')).home).toBe(home)
    expect(routeOf(request('http://node.example:81/a')).home).not.toBe(home)
    expect(routeOf(request('http://other.example/a')).home).not.toBe(home)
  })

  test.each([
    ['http://node.example/', 'node.example', 80],
    ['http://node.example:8545', 'node.example', 8545],
    ['http://127.0.0.1:1', '127.0.0.1', 1],
    ['http://[::1]:8545/', '::1', 8545],
  ])('%s leads to host %s, port %d', (url, hostname, port) => {
    const { home, start } = openRoutes<FakeConnection>()(request(url))
    expect([home.hostname, home.port]).toEqual([hostname, port])
    expect(start).toBe(`POST / HTTP/1.1\r\nhost: ${new URL(url).host}\r\n`)
  })

  test('no address can add a line to the message', () => {
    const { start } = openRoutes<FakeConnection>()(request('http://a/b\r\nc: d?e=\r\nf: g h#i'))
    expect(start).toBe('POST /bc:%20d?e=f:%20g%20h HTTP/1.1\r\nhost: a\r\n')
  })

  test('hosts beyond a thousand cost the old ones their idle connections', () => {
    const routeOf = openRoutes<FakeConnection>()
    const first = request('http://first.example')
    const connection = fakeConnection()
    const { home } = routeOf(first)
    home.idle.push(connection)
    for (let host = 1; host < ORIGINS_MAX; host++) routeOf(request(`http://h${host}.example`))
    // A full house still knows its own.
    expect(routeOf(request('http://first.example')).home).toBe(home)
    expect(connection.ended).toBe(false)

    routeOf(request('http://last.example'))
    expect([connection.ended, home.idle.length, home.retired]).toEqual([true, 0, true])
    expect(routeOf(first).home).not.toBe(home)
    expect(routeOf(first).home.retired).toBe(false)
  })
})

type FakeConnection = { ended: boolean; end(): void }

function fakeConnection(): FakeConnection {
  const connection = {
    ended: false,
    end() {
      connection.ended = true
    },
  }
  return connection
}

function request(url: string, headers: Record<string, string> = {}): OutboundRequest {
  return { url, body: 'x', headers, repeatable: true }
}
