import { describe, expect, test } from 'bun:test'
import { cutReply } from './result-cutter.ts'

const ID = 41

/** What a client would be sent of an answer that comes in these chunks; null when refused. */
function cut(chunks: readonly Uint8Array[]): { text: string; whole: boolean } | null {
  const [begin, ...rest] = chunks
  const begun = cutReply(begin ?? new Uint8Array(), ID)
  if (!begun) return null
  const parts = [begun.first, ...rest.map((chunk) => begun.cutter.feed(chunk))]
  const bytes = Buffer.concat(parts.filter((part) => part !== null))
  return { text: bytes.toString('utf8'), whole: begun.cutter.whole() }
}

const bytesOf = (text: string) => new TextEncoder().encode(text)

const RESULTS = [
  ['a list', '[1,[2,[]],{"a":[3]}]'],
  ['an object', '{"a":{"b":{}},"c":"}"}'],
  ['text', '"0xabcdef"'],
  ['text full of escapes', '"\\"\\\\\\" ]}{[ \\\\\\\\\\u0022\\""'],
  ['text in other scripts', '["héllo","日本語","😀"]'],
  ['digits beyond a double', '[18446744073709551615,-9223372036854775808]'],
  ['brackets in text', '["]","}","[{",{"]":"["}]'],
  ['white space', '[ 1 ,\n\t{ "a" : 2 }\r\n]'],
] as const

const ENVELOPES = [
  ['the id first', (result: string) => `{"jsonrpc":"2.0","id":${ID},"result":${result}}`],
  [
    'the id last, as Solana has it',
    (result: string) => `{"jsonrpc":"2.0","result":${result},"id":${ID}}`,
  ],
  ['the id as text', (result: string) => `{"id":"${ID}","result":${result}}`],
  [
    'the result alone in front',
    (result: string) => `{"result":${result},"jsonrpc":"2.0","id":"${ID}"}`,
  ],
  [
    'white space everywhere',
    (result: string) => ` \n{ "jsonrpc" : "2.0" ,\t"id" : ${ID} , "result" :  ${result} \n}\n`,
  ],
  [
    'something more behind',
    (result: string) => `{"id":${ID},"result":${result},"usage":{"cu":[1]}}`,
  ],
] as const

describe('a result cut out of an answer', () => {
  for (const [envelope, wrap] of ENVELOPES) {
    test.each(RESULTS)(
      `is the same wherever the answer is split: ${envelope}, %s`,
      (_title, result) => {
        const bytes = bytesOf(wrap(result))
        const resultAt = wrap('\u0000').indexOf('\u0000')
        // The beginning is held until it is longer than any envelope.
        for (let split = resultAt; split <= bytes.length; split++) {
          const chunks = [bytes.subarray(0, split), bytes.subarray(split)]
          expect(cut(chunks)).toEqual({ text: result, whole: true })
        }
        const single = Array.from(bytes.subarray(resultAt), (_, at) =>
          bytes.subarray(resultAt + at, resultAt + at + 1),
        )
        expect(cut([bytes.subarray(0, resultAt), ...single])).toEqual({ text: result, whole: true })
      },
    )
  }

  test.each([
    ['after a result that is null', `{"jsonrpc":"2.0","id":${ID},"result":null,"error":?}`],
    ['before a result that is null', `{"error":?,"result":null,"id":${ID}}`],
    ['in front', `{"error":?,"jsonrpc":"2.0","id":"${ID}"}`],
    ['with the id first', `{"jsonrpc":"2.0","id":${ID},"error":?}`],
    ['under id null, which an error may be', '{"jsonrpc":"2.0","id":null,"error":?}'],
    ['under id null at the end', '{"jsonrpc":"2.0","error":?,"id":null}'],
    ['with white space everywhere', ` { "id" : ${ID} ,\n "error" :\t? } `],
  ])('or an error in its place: %s', (_title, pattern) => {
    const error = '{"code":3,"message":"\\"}]","data":{"a":["0x00","]"]}}'
    const at = pattern.indexOf('?')
    const bytes = bytesOf(pattern.replace('?', error))
    for (let split = at + 1; split <= bytes.length; split++) {
      const begun = cutReply(bytes.subarray(0, split), ID)
      expect(begun?.member).toBe('error')
      const chunks = [bytes.subarray(0, split), bytes.subarray(split)]
      expect(cut(chunks)).toEqual({ text: error, whole: true })
    }
    const end = pattern.replace('?', error).trimEnd().length
    for (let cutAt = at + 1; cutAt < end; cutAt++) {
      expect(cut([bytes.subarray(0, cutAt)])?.whole).toBe(false)
    }
  })

  test('passes over an error that is null', () => {
    const bytes = bytesOf(`{"jsonrpc":"2.0","error":null,"id":${ID},"result":[1]}`)
    expect(cutReply(bytes, ID)?.member).toBe('result')
    expect(cut([bytes])).toEqual({ text: '[1]', whole: true })
  })

  test('is whole only when the answer is, wherever it breaks off', () => {
    for (const [, wrap] of ENVELOPES.slice(0, 4)) {
      for (const [, result] of RESULTS) {
        const bytes = bytesOf(wrap(result))
        const resultAt = wrap('\u0000').indexOf('\u0000')
        for (let end = resultAt; end < bytes.length; end++) {
          expect(cut([bytes.subarray(0, end)])?.whole).toBe(false)
        }
      }
    }
  })

  test('may be a text of megabytes with an escape on every border', () => {
    const inner = '\\"\\\\'.repeat(200_000)
    const bytes = bytesOf(`{"id":${ID},"result":"${inner}"}`)
    for (const size of [1023, 4096, 65_537]) {
      const chunks = [bytes.subarray(0, 30)]
      for (let at = 30; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      const got = cut(chunks)
      expect(got?.whole).toBe(true)
      expect(got?.text.length).toBe(inner.length + 2)
      expect(got?.text === `"${inner}"`).toBe(true)
    }
  })

  test.each([
    ["somebody else's id", '{"jsonrpc":"2.0","id":42,"result":[1]}'],
    ["somebody else's id as text", '{"id":"42","result":[1]}'],
    ['id null', '{"id":null,"result":[1]}'],
    ['an error that is text', '{"jsonrpc":"2.0","id":41,"error":"x"}'],
    ["somebody else's error", '{"jsonrpc":"2.0","id":42,"error":{"code":1}}'],
    ['neither', '{"jsonrpc":"2.0","id":41,"result":null,"error":null}'],
    ['a batch', '[{"id":41,"result":[1]}]'],
    ['HTML', `<html>${'x'.repeat(1000)}</html>`],
    ['nothing', ''],
    ['text', '"result"'],
    ['a word where the result is a level deeper', '{"id":41,"x":{"result":[1]}}'],
    ['bytes that are no text', '\u0000\u0001\u0002'],
  ])('is refused at once: %s', (_title, text) => {
    expect(cut([bytesOf(text)])).toBeNull()
  })

  test.each([
    ["somebody else's id at the end", '{"jsonrpc":"2.0","result":[1],"id":42}'],
    ['no id at all', '{"jsonrpc":"2.0","result":[1]}'],
    ['something after the end', '{"id":41,"result":[1]}{"id":41}'],
    ['a comma too many', '{"id":41,"result":[1],}'],
    ['an unfinished tail', '{"id":41,"result":[1],"x":'],
    ['brackets that close too early', '{"id":41,"result":[1]]}'],
    ['a tail that never ends', `{"id":41,"result":[1],"x":"${'y'.repeat(10_000)}"}`],
  ])('never passes for whole: %s', (_title, text) => {
    expect(cut([bytesOf(text)])?.whole).toBe(false)
  })
})
