import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import {
  type FakeConnection,
  fakeConnection,
} from '../../../tests/support/nodes/fake-connection.ts'
import type { ConnectListener } from './connector.ts'
import { type ExchangeListener, endExchange, type Repeat, startExchange } from './exchange.ts'

const HEAD_PIECES_MAX = 256
const LENGTH = 'HTTP/1.1 200 OK\r\nx-a: b\r\ncontent-length: 5\r\n\r\nhello'
const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const CHUNKS = `${CHUNKED}2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nx-trailer: 1\r\n\r\n`
const INTERIM = `HTTP/1.1 100 Continue\r\n\r\n${LENGTH}`
const UNTIL_CLOSE = 'HTTP/1.1 200 OK\r\n\r\nhello'
const REPEATS: Repeat[] = ['never', 'unanswered', 'until_head']

describe('an answer', () => {
  test.each([
    ['with a length', LENGTH],
    ['in chunks', CHUNKS],
    ['after an announcement', INTERIM],
  ])('%s is the same in whatever pieces it comes, and its connection is kept', (_kind, text) => {
    const cuts = Array.from({ length: text.length }, (_, at) => [text.slice(0, at), text.slice(at)])
    for (const pieces of [[text], [...text], ...cuts]) {
      const stage = open()
      stage.warm.say(...pieces.filter((piece) => piece !== ''))
      expect(stage.events.at(-1)).toBe('200 hello')
      expect([stage.released, stage.warm.state]).toEqual([[stage.warm], 'open'])
    }
  })

  test('that lasts until the close ends with it, unless the connection is torn down', () => {
    const good = open()
    good.warm.say(UNTIL_CLOSE)
    good.warm.close()
    expect(good.events.at(-1)).toBe('200 hello')
    const bad = open()
    bad.warm.say(UNTIL_CLOSE)
    bad.warm.close(true)
    expect(bad.events.at(-1)).toBe('lost reset')
    expect([good.released, bad.released]).toEqual([[], []])
  })

  test('that comes before all was sent costs the connection', () => {
    for (const text of [LENGTH, CHUNKS]) {
      const stage = open()
      stage.warm.isSending = true
      stage.warm.say(text)
      expect(stage.events.at(-1)).toBe('200 hello')
      expect([stage.released, stage.warm.state]).toEqual([[], 'terminated'])
    }
  })

  test.each([
    ['another answer', LENGTH],
    ['half of one', LENGTH.slice(0, 20)],
    ['a line break', '\r\n'],
    ['anything', '\u0000'],
  ])('followed by %s that nobody asked for costs the connection, and no more', (_kind, more) => {
    for (const text of [LENGTH, CHUNKS]) {
      const together = open()
      together.warm.say(text + more)
      expect(together.events.at(-1)).toBe('200 hello')
      expect([together.released, together.warm.state]).toEqual([[], 'ended'])
    }
  })

  test('may be given up by its reader in the middle', () => {
    const stage = open()
    stage.endsAt = 'hel'
    stage.warm.say(LENGTH.slice(0, -2), 'lo')
    stage.warm.close()
    expect(stage.events).toEqual(['200 hel…'])
    expect(stage.warm.state).toBe('terminated')
  })
})

describe('an answer that is cut', () => {
  test.each(REPEATS)(
    'anywhere on a new connection is lost, and never sent again (%s)',
    (repeat) => {
      for (const text of [LENGTH, CHUNKS, INTERIM]) {
        for (let at = 0; at < text.length; at++) {
          const stage = open(repeat, false)
          const connection = stage.connect()
          if (at > 0) connection.say(text.slice(0, at))
          connection.close(at % 2 === 0)
          expect(stage.events.at(-1)).toBe('lost reset')
          expect(stage.dials).toHaveLength(1)
        }
      }
    },
  )

  test('on a kept one is asked for once more while its head is not there', () => {
    const headEnd = LENGTH.indexOf('hello')
    for (let at = 0; at < LENGTH.length; at++) {
      const stage = open('until_head')
      if (at > 0) stage.warm.say(LENGTH.slice(0, at))
      stage.warm.close(at % 2 === 0)
      expect(stage.dials).toHaveLength(at < headEnd ? 1 : 0)
      if (at >= headEnd) continue
      const fresh = stage.connect()
      expect(fresh.sent).toEqual(stage.warm.sent)
      fresh.say(LENGTH)
      expect(stage.events).toEqual(['200 hello'])
    }
  })

  test('on a kept one is asked for once more while nothing has come, by who wants that', () => {
    const silent = open('unanswered')
    silent.warm.close()
    silent.connect().say(LENGTH)
    expect(silent.events).toEqual(['200 hello'])
    const begun = open('unanswered')
    begun.warm.say('H')
    begun.warm.close()
    expect([begun.dials.length, begun.events]).toEqual([0, ['lost reset']])
  })

  test('is asked for once more and not twice', () => {
    for (const repeat of ['unanswered', 'until_head'] as const) {
      const stage = open(repeat)
      stage.warm.close(true)
      stage.connect().close()
      expect([stage.dials.length, stage.events]).toEqual([1, ['lost reset']])
    }
  })

  test('is lost when there is no second connection, though it was sent', () => {
    const stage = open('until_head')
    stage.warm.close()
    stage.dials[0]?.failed('connect')
    expect(stage.events).toEqual(['lost connect'])
    expect(stage.exchange.isSent).toBe(true)
  })
})

describe('a request that must not be repeated', () => {
  test('never goes out on a kept connection', () => {
    const stage = open('never')
    expect([stage.warm.sent, stage.dials.length]).toEqual([[], 1])
    stage.connect().say(LENGTH)
    expect(stage.events).toEqual(['200 hello'])
  })

  test('was not sent when nobody takes the connection', () => {
    const stage = open('never')
    stage.dials[0]?.failed('tls')
    expect([stage.events, stage.exchange.isSent]).toEqual([['lost tls'], false])
  })
})

describe('a flood', () => {
  test.each<[string, string[]]>([
    ['a head byte by byte', ['HTTP/1.1 200 OK\r\nx: ', ...'y'.repeat(HEAD_PIECES_MAX)]],
    ['a head without end', Array(70).fill('HTTP/1.1 200 OK\r\n'.padEnd(1000, 'x'))],
    ['headers in one piece', [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(20_000)}\r\n`]],
    ['announcements', Array(200).fill('HTTP/1.1 103 x\r\n'.padEnd(1000, 'x').concat('\r\n\r\n'))],
    ['trailers', [`${CHUNKED}0\r\n`, ...Array(100).fill(`x: ${'y'.repeat(1000)}\r\n`)]],
    ['a chunk’s extension', [`${CHUNKED}1;`, ...Array(5).fill('x'.repeat(1000))]],
    ['another protocol', ['SSH-2.0-OpenSSH_9.6\r\n']],
  ])('of %s ends the connection', (_kind, pieces) => {
    const stage = open('until_head')
    stage.warm.say(...pieces)
    expect(stage.events.at(-1)).toBe('lost protocol')
    expect([stage.warm.state, stage.dials.length]).toEqual(['terminated', 0])
  })
})

describe('the end of an exchange', () => {
  test('gives up the connection that is being made', () => {
    const stage = open('never')
    endExchange(stage.exchange)
    endExchange(stage.exchange)
    expect([stage.givenUp(), stage.events]).toEqual([1, []])
  })

  test('tears the connection down, and nothing is told of it', () => {
    const stage = open()
    stage.warm.say(LENGTH.slice(0, -2))
    endExchange(stage.exchange)
    expect([stage.warm.state, stage.warm.owner]).toEqual(['terminated', null])
    expect([stage.events, stage.dials]).toEqual([['200 hel…'], []])
  })

  test('leaves alone a connection that was given back', () => {
    const stage = open()
    stage.warm.say(LENGTH)
    endExchange(stage.exchange)
    expect([stage.warm.state, stage.events]).toEqual(['open', ['200 hello']])
  })
})

test('whatever comes, an exchange ends once and keeps no connection on which more came', () => {
  const { pick, between } = seededChance(7)
  for (let run = 0; run < 5000; run++) {
    const stage = open(pick(REPEATS))
    const play = (connection: FakeConnection, text: string) => {
      for (let at = 0, to = 0; at < text.length; at = to) {
        to = at + between(1, text.length)
        connection.say(text.slice(at, to))
      }
      connection.close(pick([true, false]))
    }
    const texts = [LENGTH, CHUNKS, INTERIM, UNTIL_CLOSE]
    let text = pick(texts) + pick(['', '', '', ...texts])
    for (let edits = between(0, 3); edits > 0; edits--) {
      const at = between(0, text.length)
      const put = pick(['', '\r\n', '\r\n\r\n', '0', 'f', ':', '\u0000', 'é'])
      text = text.slice(0, at) + put + text.slice(at + between(0, 2))
    }
    play(stage.dials.length > 0 ? stage.connect() : stage.warm, text)
    if (stage.endings === 0) play(stage.connect(), text)
    expect([text, stage.endings]).toEqual([text, 1])
    expect(stage.released.every(({ owner, state }) => owner === null && state !== 'open')).toBe(
      true,
    )
  }
})

/** An exchange under way on a kept connection, or waiting for a new one. */
function open(repeat: Repeat = 'until_head', isKept = true) {
  const warm = fakeConnection()
  const dials: ConnectListener[] = []
  const events: string[] = []
  const released: FakeConnection[] = []
  const stage = { warm, dials, events, released, endsAt: null as string | null, endings: 0 }
  let givenUp = 0
  let body = ''
  const listener: ExchangeListener<null> = {
    answered(_exchange, { status }, bytes, bodyAt) {
      stage.endings++
      events.push(`${status} ${bytes.toString('utf8', bodyAt)}`)
    },
    advanced(exchange, reader) {
      body += Buffer.concat(reader.take()).toString()
      if (reader.ended) stage.endings++
      if (reader.head) events.push(`${reader.head.status} ${body}${reader.ended ? '' : '…'}`)
      if (body === stage.endsAt) endExchange(exchange)
    },
    lost(_exchange, fault) {
      stage.endings++
      events.push(`lost ${fault}`)
    },
  }
  const origin = {
    takeIdle: () => (isKept ? warm : undefined),
    connect(waiting: ConnectListener) {
      dials.push(waiting)
      return () => void givenUp++
    },
    release: (connection: unknown) => void released.push(connection as FakeConnection),
  }
  const message = { content: 'POST / HTTP/1.1\r\n\r\n', bytes: 19 }
  const exchange = startExchange(origin, message, repeat, listener, null)
  return Object.assign(stage, {
    exchange,
    givenUp: () => givenUp,
    /** Lets the oldest connection that is waited for come about. */
    connect() {
      const connection = fakeConnection()
      dials.at(-1)?.opened(connection)
      return connection
    },
  })
}
