import { describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { Failure } from '../../core/errors.ts'
import { encodeKey } from '../../core/solana/base58.ts'
import { readReply } from './read-reply.ts'

const KEYS = [1, 2, 3].map((byte) => encodeKey(new Uint8Array(32).fill(byte)))
const RECORDS = KEYS.map((key) => `{"account":{"lamports":18446744073709551615},"pubkey":"${key}"}`)

async function readText(text: string, heard: () => boolean = () => true) {
  const records: string[] = []
  const slots: unknown[] = []
  const reply = { kind: 'result' as const, text, value: undefined }
  const read = await readReply(reply, {
    signal: new AbortController().signal,
    listener: {
      envelope: ({ slot }) => void slots.push(slot),
      record: (bytes) => void records.push(Buffer.from(bytes).toString()),
      error() {},
    },
    heard,
  })
  return { ...read, records, slots }
}

test('records come out byte for byte', async () => {
  const read = await readText(`{"context":{"slot":7},"value":[${RECORDS.join(' , ')}]}`)
  expect(read).toEqual({ isWhole: true, pageKey: null, records: RECORDS, slots: [7n] })
})

describe('the key of an upstream that pages', () => {
  test('is found behind its records', async () => {
    const read = await readText(`{"context":{"slot":7},"value":[${RECORDS.join()}],"pageKey":"k"}`)
    expect([read.pageKey, read.records]).toEqual(['k', RECORDS])
  })

  test('is found before its records', async () => {
    const read = await readText(`{"pageKey":"k","context":{"slot":7},"value":[${RECORDS.join()}]}`)
    expect([read.pageKey, read.records]).toEqual(['k', RECORDS])
  })

  test('is taken out of its last record', async () => {
    const last = `${RECORDS[2]?.slice(0, -1)},"pageKey":"k"}`
    const read = await readText(`[${RECORDS[0]},${RECORDS[1]},${last}]`)
    expect([read.pageKey, read.records]).toEqual(['k', RECORDS])
  })
})

describe('what is not whole', () => {
  test.each([
    ['half a record', `[${RECORDS[0]?.slice(0, 40)}`],
    ['no array', '7'],
    ['nothing', ''],
    ['a record without a key', '[{"account":{}}]'],
    ['more behind it', '[],"result":[]'],
  ])('%s', async (_title, text) => {
    expect((await readText(text)).isWhole).toBe(false)
  })

  test('what its reader does not want to the end', async () => {
    expect((await readText(`[${RECORDS.join()}]`, () => false)).isWhole).toBe(false)
  })
})

test('a stream that is given up is cancelled, whenever that happens', async () => {
  for (const isEarly of [true, false]) {
    const abort = new AbortController()
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from('[')),
      cancel() {
        isCancelled = true
      },
    })
    if (isEarly) abort.abort()
    const listener = { envelope() {}, record() {}, error() {} }
    const reading = readReply(
      { kind: 'stream', stream },
      { signal: abort.signal, listener, heard: () => true },
    )
    abort.abort()
    expect((await reading).isWhole).toBe(false)
    expect(isCancelled).toBe(true)
  }
})

test('a stream is cancelled when our own disk takes no more of it', async () => {
  let isCancelled = false
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('[')),
    cancel() {
      isCancelled = true
    },
  })
  const { signal } = new AbortController()
  const listener = { envelope() {}, record() {}, error() {} }
  const heard = () => Promise.reject(new Failure('spill_failed'))
  const reading = readReply({ kind: 'stream', stream }, { signal, listener, heard })
  expect(await failureOf(reading)).toMatchObject({ code: 'spill_failed' })
  expect(isCancelled).toBe(true)
})
