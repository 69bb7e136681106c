import { describe, expect, test } from 'bun:test'
import { openResponseReader, type ResponseReader } from './response-reader.ts'

const OK = 'HTTP/1.1 200 OK\r\n'
const OLD = 'HTTP/1.0 200 OK\r\n'
const LENGTH_5 = `${OK}content-length: 5\r\n\r\n`
const CHUNKED = `${OK}transfer-encoding: chunked\r\n\r\n`
const HEAD_BYTES_MAX = 64 * 1024

type Read = { status: number; body: string; length: number | null; reusable: boolean }

type Answer = [kind: string, bytes: string, read: Partial<Read>]

describe('a proper answer', () => {
  const kept: Answer[] = [
    ['with a length', `${LENGTH_5}hello`, { body: 'hello', length: 5 }],
    ['of no bytes', `${OK}Content-Length: 0\r\n\r\n`, { length: 0 }],
    ['without a reason', 'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok', { body: 'ok', length: 2 }],
    ['of nothing but a status', 'HTTP/1.1 204\r\n\r\n', { status: 204, length: 0 }],
    ['304', 'HTTP/1.1 304 x\r\ncontent-length: 5\r\n\r\n', { status: 304, length: 0 }],
    ['in upper case', `${OK}CONTENT-LENGTH:1\r\n\r\nx`, { body: 'x', length: 1 }],
    ['in mixed case', `${OK}Content-length:1\r\n\r\nx`, { body: 'x', length: 1 }],
    ['with blanks', `${OK}content-length: \t 1 \t\r\n\r\nx`, { body: 'x', length: 1 }],
    [
      'with its length said twice',
      `${OK}content-length: 2\r\nContent-Length: 2\r\n\r\nok`,
      { body: 'ok', length: 2 },
    ],
    [
      'in chunks',
      `${CHUNKED}5\r\nhello\r\n0a\r\n, chunked!\r\n0\r\n\r\n`,
      { body: 'hello, chunked!' },
    ],
    [
      'in chunks with extensions and trailers',
      `${CHUNKED}3;a=b;c="d"\r\nabc\r\n2 ; e\r\nde\r\n000;f\r\nx-sum: 1\r\nx-other: 2\r\n\r\n`,
      { body: 'abcde' },
    ],
    ['in false chunks', `${CHUNKED}7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n`, { body: '0\r\n\r\n\r\n' }],
    ['in chunks said loudly', CHUNKED.toUpperCase().concat('1\r\nx\r\n0\r\n\r\n'), { body: 'x' }],
    ['after 100', `HTTP/1.1 100 Continue\r\n\r\n${LENGTH_5}hello`, { body: 'hello', length: 5 }],
    [
      'after 100 and 103',
      `HTTP/1.1 100 x\r\n\r\nHTTP/1.1 103\r\ncontent-length: 9\r\n\r\n${LENGTH_5}hello`,
      { body: 'hello', length: 5 },
    ],
    [
      'that keeps',
      `${LENGTH_5.replace('\r\n', '\r\nConnection: Keep-Alive\r\n')}hello`,
      { body: 'hello', length: 5 },
    ],
    [
      'of old that keeps',
      `${OLD}connection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx`,
      { body: 'x', length: 1 },
    ],
  ]

  /** Read well, but their connection is of no more use. */
  const spent: Answer[] = [
    ['until the close', `${OK}\r\nhello`, { body: 'hello' }],
    ['until the close, empty', `${OK}\r\n`, {}],
    ['of the old version', `${OLD}\r\nhello\r\n\r\n`, { body: 'hello\r\n\r\n' }],
    ['of old with a length', `${OLD}content-length: 1\r\n\r\nx`, { body: 'x', length: 1 }],
    [
      'that closes',
      `${OK}CONNECTION: Close\r\ncontent-length: 1\r\n\r\nx`,
      { body: 'x', length: 1 },
    ],
    [
      'that closes, in a list',
      `${OK}connection: x\r\nconnection: y, close\r\ncontent-length: 1\r\n\r\nx`,
      { body: 'x', length: 1 },
    ],
    [
      'with both a length and chunks, which count',
      `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      { body: 'hello' },
    ],
    [
      'in chunks that its version does not know',
      `${OLD}connection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n`,
      { body: 'x' },
    ],
    ['and bytes beyond it', `${LENGTH_5}hello!`, { body: 'hello', length: 5 }],
    ['and another beyond it', `${LENGTH_5}hello${LENGTH_5}again`, { body: 'hello', length: 5 }],
    ['and bytes beyond its chunks', `${CHUNKED}0\r\n\r\n\r\n`, {}],
    ['204 and a body', 'HTTP/1.1 204 x\r\n\r\nbody', { status: 204, length: 0 }],
  ]

  const both = [
    ...kept.map((row) => [...row, true] as const),
    ...spent.map((row) => [...row, false] as const),
  ]

  test.each(both)('%s reads the same however it is cut', (_kind, bytes, read, reusable) => {
    const expected = { status: 200, body: '', length: null, reusable, ...read }
    expect(readWhole([bytes])).toEqual(expected)
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(readWhole([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(expected)
    }
    expect(readWhole([...bytes])).toEqual(expected)
  })

  test.each(kept)('%s is over with its last byte, not before', (_kind, bytes) => {
    const reader = openResponseReader()
    for (const byte of bytes) {
      expect(reader.ended).toBe(false)
      expect(reader.feed(Buffer.from(byte, 'latin1'))).toBe(true)
    }
    expect(reader.ended).toBe(true)
  })

  test.each(kept)('%s, cut off anywhere, is no proper end', (_kind, bytes) => {
    for (let cut = 0; cut < bytes.length; cut++) {
      const reader = fed([bytes.slice(0, cut)])
      expect(reader.closed()).toBe(false)
      expect(reader.ended).toBe(false)
      expect(reader.reusable).toBe(false)
    }
  })
})

describe('hostile bytes', () => {
  test.each([
    ['no HTTP', 'hello'],
    ['no HTTP, and a head', 'hello: x\r\n\r\n'],
    ['no status line', 'content-length: 5\r\n\r\nhello'],
    ['an empty line first', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ['a letter', '<'],
    ['TLS', '\x15\x03\x01\x00\x02\x02\x28'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['HTTP/1.2', 'HTTP/1.2 200 OK\r\n\r\n'],
    ['HTTP/1.10', 'HTTP/1.10 200 OK\r\n\r\n'],
    ['status 99', 'HTTP/1.1 99 x\r\n\r\n'],
    ['status 099', 'HTTP/1.1 099 x\r\n\r\n'],
    ['status 1000', 'HTTP/1.1 1000 x\r\n\r\n'],
    ['status -20', 'HTTP/1.1 -20 x\r\n\r\n'],
    ['status 2e2', 'HTTP/1.1 2e2 x\r\n\r\n'],
    ['no status', 'HTTP/1.1 \r\n\r\n'],
    ['another protocol to switch to', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'],
    ...[
      ...['-1', '+1', '1.0', '1e1', '0x5', '5 5', 'five', '', '5,', '5;', '\r\n 5'],
      ...['5\r\ncontent-length: 6', '5, 6', '5\r\nContent-Length: 05', '5\r\ncontent-length:'],
      ...['9007199254740993', '99999999999999999999', '1'.repeat(400), '٥'],
    ].map((value) => [
      `a length of ${JSON.stringify(value).slice(0, 40)}`,
      `${OK}content-length: ${value}\r\n\r\nhello`,
    ]),
    ...[
      'gzip',
      'gzip, chunked',
      'chunked, gzip',
      'chunked, chunked',
      'identity',
      'xchunked',
      '',
    ].map((coding) => [
      `a transfer coding of ${JSON.stringify(coding)}`,
      `${OK}transfer-encoding: ${coding}\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ]),
    ...['-1', '+1', ' 1', '0x1', '1 1', '1h', '', ';', 'g', '1\n', '1\r', '１'].map((size) => [
      `a chunk of ${JSON.stringify(size)}`,
      `${CHUNKED}${size}\r\nx\r\n0\r\n\r\n`,
    ]),
    ['a chunk beyond measure', `${CHUNKED}fffffffff\r\n`],
    ['a chunk beyond all measure', `${CHUNKED}10000000000000000\r\nx`],
    ['a chunk without its end', `${CHUNKED}5\r\nhello0\r\n\r\n`],
    ['a chunk that is longer than it says', `${CHUNKED}5\r\nhello!\r\n0\r\n\r\n`],
    ['a chunk with half its end', `${CHUNKED}5\r\nhello\r0\r\n\r\n`],
    ['a chunk with another end', `${CHUNKED}5\r\nhello\n0\r\n\r\n`],
  ])('%s is no answer, however it is cut', (_what, bytes) => {
    expect(accepted([bytes])).toBe(false)
    for (let cut = 1; cut < bytes.length; cut++) {
      expect(accepted([bytes.slice(0, cut), bytes.slice(cut)])).toBe(false)
    }
    expect(accepted([...bytes])).toBe(false)
  })

  const line = (bytes: number) => 'x: '.padEnd(bytes, 'y')

  test.each([
    ['a head', 'HTTP/1.1 204 x\r\n', '\r\n\r\n', HEAD_BYTES_MAX],
    [
      'a head after another',
      'HTTP/1.1 103\r\n\r\nHTTP/1.1 204 x\r\n',
      '\r\n\r\n',
      HEAD_BYTES_MAX + 16,
    ],
    ['the size of a chunk', `${CHUNKED}0;`, '\r\n\r\n', CHUNKED.length + 1024],
    ['a trailer', `${CHUNKED}0\r\n`, '\r\n\r\n', CHUNKED.length + 3 + 1024],
  ])('%s may be as long as its limit and not a byte longer', (_what, start, end, bytesMax) => {
    const right = `${start}${line(bytesMax - start.length)}${end}`
    const wrong = `${start}${line(bytesMax - start.length + 1)}${end}`
    const cuts = [start.length, ...Array.from({ length: 10 }, (_, back) => right.length - back)]
    for (const cut of cuts) {
      expect(fed([right.slice(0, cut), right.slice(cut)]).ended).toBe(true)
      expect(accepted([wrong.slice(0, cut), wrong.slice(cut)])).toBe(false)
    }
  })

  test.each([
    ['a head', `${OK}`, 'x: y\r\n'],
    ['announcements', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['trailers', `${CHUNKED}0\r\n`, 'x: y\r\n'],
    ['the size of a chunk', CHUNKED, '0'],
  ])('%s without an end are given up', (_what, start, more) => {
    const reader = fed([start])
    let bytes = 0
    const piece = Buffer.from(more.repeat(100))
    while (reader.feed(piece)) {
      bytes += piece.length
      expect(bytes).toBeLessThan(1024 * 1024)
    }
    expect(reader.closed()).toBe(false)
  })

  test('a header inside a value, or with a blank in its name, is none', () => {
    const head = 'HTTP/1.1 200 content-length: 1\r\nx: content-length: 2\r\nx-content-length: 3'
    const reader = fed([`${head}\r\ncontent-length : 4\r\n\r\n`])
    expect(reader.head?.header('content-length')).toBeNull()
    expect(reader.head?.length).toBeNull()
    expect(reader.closed()).toBe(true)
    expect(reader.reusable).toBe(false)
  })

  test('bytes that come after the end spoil the connection, not the answer', () => {
    const reader = fed([`${LENGTH_5}hello`])
    expect(reader.reusable).toBe(true)
    expect(reader.feed(Buffer.from('!'))).toBe(true)
    expect(reader.reusable).toBe(false)
    expect(bodyOf(reader)).toBe('hello')
  })
})

describe('a body on its way', () => {
  test('is taken piece by piece, and what waits is counted', () => {
    const reader = fed([`${LENGTH_5}he`])
    expect([reader.waitingBytes, reader.ended]).toEqual([2, false])
    expect(bodyOf(reader)).toBe('he')
    expect(reader.waitingBytes).toBe(0)
    reader.feed(Buffer.from('l'))
    reader.feed(Buffer.from('lo'))
    expect([reader.waitingBytes, reader.ended]).toEqual([3, true])
    expect(bodyOf(reader)).toBe('llo')
  })

  test('comes in few pieces, however small and mixed they were sent', () => {
    const pieces = Array.from({ length: 50_000 }, (_, at) =>
      at % 20_000 === 7 ? 'x'.repeat(600) : 'y',
    )
    const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    const reader = fed([CHUNKED, ...chunks.slice(0, 100), chunks.slice(100).join(''), '0\r\n\r\n'])
    const taken = reader.take()
    expect(taken.length).toBeLessThan(50)
    expect(Buffer.concat(taken).toString('latin1') === pieces.join('')).toBe(true)
  })

  test('holds every byte there is', () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
    const reader = openResponseReader()
    reader.feed(Buffer.from(`${OK}content-length: 256\r\n\r\n`))
    // A plain array of bytes does as well as a buffer, and need not start at its beginning.
    reader.feed(new Uint8Array([...bytes.subarray(0, 9), 0]).subarray(0, 9))
    reader.feed(bytes.subarray(9))
    expect(Buffer.concat(reader.take())).toEqual(bytes)
  })

  test('a head may come as a plain array that starts in the middle of another', () => {
    const bytes = new TextEncoder().encode(`###${LENGTH_5}hello###`)
    const reader = openResponseReader()
    expect(reader.feed(bytes.subarray(3, bytes.length - 3))).toBe(true)
    expect(bodyOf(reader)).toBe('hello')
  })
})

function fed(pieces: readonly string[]): ResponseReader {
  const reader = openResponseReader()
  for (const piece of pieces) expect(reader.feed(Buffer.from(piece, 'latin1'))).toBe(true)
  return reader
}

/** True when nothing was wrong, be it over or not. */
function accepted(pieces: readonly string[]): boolean {
  const reader = openResponseReader()
  return pieces.every((piece) => reader.feed(Buffer.from(piece, 'latin1')))
}

/** What an answer says once the other side has closed. */
function readWhole(pieces: readonly string[]): Read {
  const reader = fed(pieces)
  expect(reader.closed()).toBe(true)
  const { head, reusable } = reader
  return { status: head?.status ?? 0, length: head?.length ?? null, body: bodyOf(reader), reusable }
}

function bodyOf(reader: ResponseReader): string {
  return Buffer.concat(reader.take()).toString('latin1')
}
