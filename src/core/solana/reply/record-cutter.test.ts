import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { accountOf, keyOf, randomBytes } from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { openRecordWriter } from '../text/encodings.ts'
import { openRecordCutter, type ReplyEnd } from './record-cutter.ts'

type Heard = {
  end: ReplyEnd
  envelopes: { slot: bigint | null; apiVersion: string | null }[]
  records: string[]
  keys: string[]
  errors: { code: number; message: string; text: string }[]
  pageKey: string | null
}

/** What is heard of a reply that comes in these chunks. */
function heard(chunks: readonly Uint8Array[]): Heard {
  const all: Omit<Heard, 'end' | 'pageKey'> = { envelopes: [], records: [], keys: [], errors: [] }
  const cutter = openRecordCutter({
    envelope: (context) => all.envelopes.push(context),
    record: (bytes, pubkey) => {
      all.records.push(Buffer.from(bytes).toString())
      all.keys.push(encodeKey(pubkey))
    },
    error: (error) => all.errors.push(error),
  })
  for (const chunk of chunks) {
    // The reader of a socket uses its buffer again, so nothing may be left in it.
    const lent = chunk.slice()
    cutter.push(lent)
    lent.fill(0x7b)
  }
  const end = cutter.end()
  return { end, ...all, pageKey: cutter.pageKey }
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const whole = (text: string) => heard([bytesOf(text)])

/** Every way to part the text in two, and the text byte by byte. */
function everyChunking(text: string): Uint8Array[][] {
  const bytes = bytesOf(text)
  const halves = Array.from({ length: bytes.length + 1 }, (_, at) => [
    bytes.subarray(0, at),
    bytes.subarray(at),
  ])
  return [...halves, Array.from(bytes, (byte) => Uint8Array.of(byte))]
}

const KEYS = [1, 2, 3].map((byte) => encodeKey(keyOf(byte)))
const [A, B, C] = KEYS as [string, string, string]

const ACCOUNT = '{"data":["AQID","base64"],"lamports":18446744073709551615,"owner":"x"}'
const record = (key: string) => `{"account":${ACCOUNT},"pubkey":"${key}"}`

const RECORDS: [string, string[]][] = [
  ['none', []],
  ['one', [record(A)]],
  ['several', [record(A), record(B), record(C)]],
  ['the key first', [`{"pubkey":"${A}","account":${ACCOUNT}}`, record(B)]],
  ['white space everywhere', [`{ "account" :\n${ACCOUNT}\t,\r\n "pubkey" : "${A}" }`]],
  ['an escaped name', [`{"account":1,"\\u0070ub\\u006bey":"${A}"}`, record(B)]],
  ['an escaped key', [`{"pubkey":"\\u00${A.charCodeAt(0).toString(16)}${A.slice(1)}"}`]],
  ['members nobody knows', [`{"slot":-1.5e3,"pubkey":"${A}","x":[null,true],"":{}}`]],
  ['parsed data', [`{"account":{"data":{"parsed":{"info":{"a":[[],[{}]]}}}},"pubkey":"${A}"}`]],
  ['brackets and quotes in text', [`{"a":"}],{[\\"","b":"\\\\","pubkey":"${A}","c":"\\\\\\""}`]],
  ['a pubkey further down', [`{"account":{"pubkey":"${B}"},"pubkey":"${A}","pubkeys":"${C}"}`]],
  ['other scripts', [`{"é日😀":"é日😀","pubkey":"${A}"}`]],
]

const CONTEXT = '{"apiVersion":"2.3.1","slot":18446744073709551615}'
const SAID = { slot: 18_446_744_073_709_551_615n, apiVersion: '2.3.1' }
const UNSAID = { slot: null, apiVersion: null }

const ENVELOPES: [string, (list: string) => string, Heard['envelopes'][number]][] = [
  ['a plain list', (list) => `{"jsonrpc":"2.0","result":[${list}],"id":1}`, UNSAID],
  ['with context', (list) => `{"result":{"context":${CONTEXT},"value":[${list}]},"id":1}`, SAID],
  ['the context last', (list) => `{"result":{"value":[${list}],"context":${CONTEXT}}}`, SAID],
  ['no context in it', (list) => `{"id":"\\"","result":{"value":[${list}]}}`, UNSAID],
  [
    'white space everywhere',
    (list) =>
      `\n{ "id" : 1 , "result" : { "context" : {"slot": 7 } , "value" : [ ${list} ] } }\r\n`,
    { slot: 7n, apiVersion: null },
  ],
  [
    'escaped names and unknown members',
    (list) =>
      `{"x":{"result":[1]},"r\\u0065sult":{"y":[],"\\u0063ontext":${CONTEXT},` +
      `"valu\\u0065":[${list}],"z":1.5},"usage":"}","error":null}`,
    SAID,
  ],
]

/** Every envelope with the usual records, and all records in the first and the last envelope. */
const REPLIES = ENVELOPES.flatMap(([envelope, wrap, context], at) =>
  RECORDS.filter(([title]) => title === 'several' || at === 0 || at === ENVELOPES.length - 1).map(
    ([title, records]) => [`${envelope}, ${title}`, { wrap, context, records }] as const,
  ),
)

describe('the records of a reply', () => {
  test.each(REPLIES)('are cut out untouched wherever it is split: %s', (_title, reply) => {
    const { wrap, context, records } = reply
    const keys = KEYS.slice(0, records.length)
    const said = { end: 'whole', envelopes: [context], records, keys, errors: [], pageKey: null }
    for (const chunks of everyChunking(wrap(records.join(' ,')))) {
      const got = heard(chunks)
      if (!Bun.deepEquals(got, said)) expect(got, `in ${chunks.length}`).toEqual(said as Heard)
    }
  })

  test.each(REPLIES)('are never all when it breaks off: %s', (_title, { wrap, records }) => {
    const text = wrap(records.join(','))
    const bytes = bytesOf(text)
    const start = text.indexOf('{') + 1
    for (let length = start; length < bytesOf(text.trimEnd()).length; length++) {
      const part = bytes.subarray(0, length)
      expect(heard([part]).end).toBe('cut_off')
      // What comes byte by byte takes a while, so not every length of it is tried.
      if (length % 7 > 0) continue
      expect(heard(Array.from(part, (byte) => Uint8Array.of(byte))).end).toBe('cut_off')
    }
  })

  test('are cut out of a large reply in whatever chunks it comes', () => {
    const chance = seededChance(11)
    const writer = openRecordWriter({ encoding: 'base64', dataSlice: null })
    const keys: string[] = []
    for (let round = 0; round < 3_000; round++) {
      const size = chance.pick([0, 1, 82, 165, 165, 165, 1_000, 9_000])
      const pubkey = randomBytes(chance, 32)
      keys.push(encodeKey(pubkey))
      writer.write(accountOf(new Uint8Array(size).fill(round), { pubkey }))
    }
    const inside = new TextDecoder().decode(writer.take())
    const body = bytesOf(`{"jsonrpc":"2.0","result":{"context":${CONTEXT},"value":[${inside}]}}`)

    for (const most of [100, 700, 5_000, 66_000, 3_000_000, body.length]) {
      const chunks: Uint8Array[] = []
      for (let at = 0; at < body.length; ) {
        const size = most === body.length ? most : chance.between(0, most)
        chunks.push(body.subarray(at, at + size))
        at += size
      }
      const got = heard(chunks)
      expect(got.end).toBe('whole')
      expect(got.keys).toEqual(keys)
      expect(got.records.join(',') === inside).toBe(true)
    }
  })

  test('may be as large as the largest account, whole or in small pieces', () => {
    const large = `{"account":"${'\\"A\\\\'.repeat(3_000_000)}","pubkey":"${A}"}`
    const body = bytesOf(`{"result":[${record(B)},${large},${record(C)}]}`)
    for (const size of [997, 65_536, body.length]) {
      const chunks: Uint8Array[] = []
      for (let at = 0; at < body.length; at += size) chunks.push(body.subarray(at, at + size))
      const got = heard(chunks)
      expect(got.end).toBe('whole')
      expect(got.keys).toEqual([B, A, C])
      expect(got.records[1] === large).toBe(true)
    }
  })

  test('are heard while the rest is still on its way', () => {
    const keys: string[] = []
    const cutter = openRecordCutter({
      envelope: () => keys.push('envelope'),
      record: (_bytes, pubkey) => keys.push(encodeKey(pubkey)),
      error: () => keys.push('error'),
    })
    expect(cutter.push(bytesOf(`{"result":[${record(A)},${record(B)},{"acc`))).toBe(true)
    expect(keys).toEqual(['envelope', A, B])
  })

  test('come each with a key that stays', () => {
    const keys: Uint8Array[] = []
    const cutter = openRecordCutter({
      envelope: () => {},
      record: (_bytes, pubkey) => keys.push(pubkey),
      error: () => {},
    })
    cutter.push(bytesOf(`{"result":[${record(A)},${record(B)}]}`))
    expect(keys.map(encodeKey)).toEqual([A, B])
  })
})

describe('the context of a reply', () => {
  test.each([
    ['no slot', '{"apiVersion":"1.0.0"}', { slot: null, apiVersion: '1.0.0' }],
    ['a slot of zero', '{"slot":0}', { slot: 0n, apiVersion: null }],
    ['a slot as text', '{"slot":"7"}', UNSAID],
    ['a slot below zero', '{"slot":-7}', UNSAID],
    ['a slot with a fraction', '{"slot":7.0}', UNSAID],
    ['a slot beyond 64 bits', '{"slot":18446744073709551616}', UNSAID],
    ['a slot of a thousand digits', `{"slot":${'9'.repeat(1_000)}}`, UNSAID],
    ['a version that is no text', '{"slot":7,"apiVersion":2}', { slot: 7n, apiVersion: null }],
    ['a slot further down', '{"x":{"slot":8},"slot":7}', { slot: 7n, apiVersion: null }],
  ])('says what it says and nothing else: %s', (_title, context, said) => {
    const got = whole(`{"result":{"context":${context},"value":[${record(A)}]}}`)
    expect(got).toMatchObject({ end: 'whole', envelopes: [said], keys: [A] })
  })
})

describe('an error instead of a result', () => {
  const ERROR = '{"code":-32010,"message":"excluded \\"x\\"","data":{"slot":18446744073709551615}}'
  const HEARD = { code: -32010, message: 'excluded "x"', text: ERROR }

  test.each([
    ['alone', `{"jsonrpc":"2.0","error":${ERROR},"id":1}`],
    ['with a result that is null', `{"result":null,"error":${ERROR}}`],
    ['before a result that is null', `{"error":${ERROR},"result":null}`],
    ['with an escaped name', `{"id":null,"\\u0065rror":${ERROR}}`],
  ])('is heard with all its digits, wherever it is split: %s', (_title, text) => {
    for (const chunks of everyChunking(text)) {
      expect(heard(chunks)).toMatchObject({ end: 'whole', errors: [HEARD], envelopes: [] })
    }
    for (let length = 1; length < text.length; length++) {
      expect(heard([bytesOf(text.slice(0, length))])).toMatchObject({ end: 'cut_off', errors: [] })
    }
  })

  test.each([
    ['text', '"Too many requests"'],
    ['a list', '[]'],
    ['no code', '{"message":"x"}'],
    ['no message', '{"code":-32000}'],
    ['a code that is text', '{"code":"-32000","message":"x"}'],
    ['a code with a fraction', '{"code":1.5,"message":"x"}'],
  ])('is no answer when it is %s', (_title, error) => {
    expect(whole(`{"error":${error}}`)).toMatchObject({ end: 'no_answer', errors: [] })
  })
})

describe('a node that pages by itself', () => {
  test.each([
    ['in the result', `{"result":{"context":${CONTEXT},"value":[${record(A)}],"pageKey":"k"}}`],
    ['beside the result', `{"result":[${record(A)}],"pageKey":"k"}`],
    ['on the last record', `{"result":[{"pubkey":"${A}","pageKey":"\\u006b"}]}`],
  ])('is noticed by its page key: %s', (_title, text) => {
    for (const chunks of everyChunking(text)) {
      expect(heard(chunks)).toMatchObject({ end: 'whole', keys: [A], pageKey: 'k' })
    }
  })

  test('is at its end when the page key is null', () => {
    expect(whole(`{"result":{"value":[],"pageKey":null},"pageKey":null}`).pageKey).toBeNull()
  })
})
