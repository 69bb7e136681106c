import { describe, expect, test } from 'bun:test'
import { headerLines, requestLines, requestMessage } from './request-message.ts'

const NONE = new Set<string>()

describe('the message of a request', () => {
  test('begins with its path and its host, unless the caller names one', () => {
    const url = new URL('http://node.example:8545/v2/a%20b?key=%2F&x#not')
    expect(requestLines(url, false)).toBe(
      'POST /v2/a%20b?key=%2F&x HTTP/1.1\r\nhost: node.example:8545\r\n',
    )
    expect(requestLines(url, true)).toBe('POST /v2/a%20b?key=%2F&x HTTP/1.1\r\n')
  })

  test('gets no line from an address', () => {
    const url = new URL('http://a/b\r\nc: d?e=\r\nf: g h#i')
    expect(requestLines(url, false)).toBe('POST /bc:%20d?e=f:%20g%20h HTTP/1.1\r\nhost: a\r\n')
  })

  test.each(['a\r\nb: c', 'a\nb', 'a\rb', 'a\0b'])('gets no line from a header (%j)', (text) => {
    expect(() => headerLines({ name: text }, NONE)).toThrow()
    expect(() => headerLines({ [text]: 'value' }, NONE)).toThrow()
  })

  test('has the headers of the caller but those that are reserved, in whatever case', () => {
    const headers = { 'X-One': '1', 'Content-LENGTH': '7', two: '' }
    expect(headerLines(headers, new Set(['content-length']))).toBe('X-One: 1\r\ntwo: \r\n')
  })

  test.each([
    ['short', 'é€😀x'],
    ['empty', ''],
    ['long', 'é€😀x'.repeat(40_000)],
    ['with half a character', '"\ud800"'],
  ])('tells the length of a body that is %s, in bytes', (_kind, body) => {
    const lines = 'POST / HTTP/1.1\r\nx: é\r\n'
    const { content, bytes } = requestMessage(lines, Buffer.byteLength(lines), body)
    const sent = Buffer.from(content as string)
    expect(bytes).toBe(sent.length)
    const length = Buffer.byteLength(body)
    expect(
      sent.equals(
        Buffer.from(`POST / HTTP/1.1\r\nx: é\r\ncontent-length: ${length}\r\n\r\n${body}`),
      ),
    ).toBe(true)
  })
})
