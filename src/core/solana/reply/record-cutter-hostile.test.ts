import { describe, expect, test } from 'bun:test'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import { keyOf } from '../../../../tests/support/solana/account-bytes.ts'
import { encodeKey } from '../base58.ts'
import { openRecordCutter } from './record-cutter.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

function ended(chunks: readonly Uint8Array[]) {
  const keys: string[] = []
  const cutter = openRecordCutter({
    envelope: () => {},
    record: (_bytes, pubkey) => keys.push(encodeKey(pubkey)),
    error: () => {},
  })
  const goesOn = chunks.map((chunk) => cutter.push(chunk))
  return { end: cutter.end(), keys, goesOn }
}

const [A, B] = [1, 2].map((byte) => encodeKey(keyOf(byte))) as [string, string]
const GOOD = `{"pubkey":"${A}"}`
const list = (...records: string[]) => `{"result":[${records.join()}]}`

const NO_ANSWERS: [string, string][] = [
  ['HTML', '<html><body>502 Bad Gateway</body></html>'],
  ['text', '"result"'],
  ['a number', '7 '],
  ['a list of replies', `[${list(GOOD)}]`],
  ['an empty object', '{}'],
  ['neither result nor error', '{"jsonrpc":"2.0","id":1}'],
  ['a result that is null', '{"jsonrpc":"2.0","result":null,"id":1}'],
  ['a result that is a number', '{"result":7}'],
  ['a result that is text', '{"result":"[]"}'],
  ['a result without records', '{"result":{}}'],
  ['a result with a context alone', '{"result":{"context":{"slot":1}}}'],
  ['records that are null', '{"result":{"context":{"slot":1},"value":null}}'],
  ['records that are an object', `{"result":{"value":${GOOD}}}`],
  ['a context that is null', '{"result":{"context":null,"value":[]}}'],
  ['a context that is a list', '{"result":{"context":[1],"value":[]}}'],
  ['two results', '{"result":[],"result":[]}'],
  ['a result and null', '{"result":[],"result":null}'],
  ['null and a result', '{"result":null,"result":[]}'],
  ['two results, one escaped', '{"result":[],"resul\\u0074":[]}'],
  ['two lists of records', '{"result":{"value":[],"value":[]}}'],
  ['two contexts', '{"result":{"context":{"slot":1},"value":[],"context":{"slot":2}}}'],
  ['a result and an error', '{"result":[],"error":{"code":1,"message":"x"}}'],
  ['an error and a result', '{"error":{"code":1,"message":"x"},"result":[]}'],
  ['two errors', '{"error":{"code":1,"message":"x"},"error":{"code":2,"message":"y"}}'],
  ['something after the end', `${list(GOOD)}x`],
  ['a second reply', `${list(GOOD)}\n${list(GOOD)}`],
  ['a bracket after the end', `${list(GOOD)}}`],
  ['the wrong bracket', `{"result":[${GOOD}}}`],
  ['a comma before the end', `{"result":[${GOOD}],}`],
  ['a comma at the start', `{,"result":[${GOOD}]}`],
  ['no comma between members', `{"result":[${GOOD}]"id":1}`],
  ['no colon', `{"result"[${GOOD}]}`],
  ['a name that is no text', '{result:[]}'],
  ['a bad escape in a name', '{"\\x":1,"result":[]}'],
  ['a control character in a name', '{"a\u0001":1,"result":[]}'],
  ['a member of nonsense', '{"id":nope,"result":[]}'],
  ['a member with an inside of nonsense', '{"id":{"a":},"result":[]}'],
  ['a number of a thousand digits', `{"id":${'9'.repeat(1_000)},"result":[]}`],
  ['a member that nests without end', `{"x":${'['.repeat(10_000)}`],
  ['a member that nests too deep', `{"x":${'['.repeat(300)}${']'.repeat(300)},"result":[]}`],
]

const NO_RECORDS: [string, string][] = [
  ['null', 'null'],
  ['a number', '7'],
  ['text', `"${A}"`],
  ['a list', `["${A}"]`],
  ['an empty object', '{}'],
  ['no pubkey', '{"account":{"lamports":1}}'],
  ['a pubkey a level deeper', `{"account":${GOOD}}`],
  ['a pubkey that is null', '{"pubkey":null}'],
  ['a pubkey that is a number', `{"pubkey":${'1'.repeat(32)}}`],
  ['a pubkey in a list', `{"pubkey":["${A}"]}`],
  ['an empty pubkey', '{"pubkey":""}'],
  ['a pubkey of 31 bytes', `{"pubkey":"${'1'.repeat(31)}"}`],
  ['a pubkey of 33 bytes', `{"pubkey":"${'1'.repeat(33)}"}`],
  ['a pubkey of wrong letters', `{"pubkey":"${A.slice(1)}0"}`],
  ['a pubkey of escaped wrong letters', `{"pubkey":"${A.slice(1)}\\u0030"}`],
  ['a pubkey with a bad escape', `{"pubkey":"${A.slice(1)}\\x"}`],
  ['a pubkey in a name of other case', `{"Pubkey":"${A}"}`],
  ['two pubkeys', `{"pubkey":"${A}","pubkey":"${B}"}`],
  ['two pubkeys, one escaped', `{"pubkey":"${A}","\\u0070ubkey":"${B}"}`],
  ['a comma at its end', `{"pubkey":"${A}",}`],
  ['no comma inside', `{"pubkey":"${A}""x":1}`],
  ['no colon inside', `{"pubkey" "${A}"}`],
  ['a bracket that does not pair', `{"pubkey":"${A}","x":[1}}`],
  ['the wrong bracket at its end', `{"pubkey":"${A}"]`],
  ['a value that is none', `{"pubkey":"${A}","x":}`],
  ['a value of nonsense', `{"pubkey":"${A}","x":undefined}`],
  ['no value at all', `${GOOD},`],
  ['two commas', `${GOOD},,${GOOD}`],
  ['no comma', `${GOOD}${GOOD}`],
]

function bytewise(text: string): Uint8Array[] {
  return Array.from(bytesOf(text), (byte) => Uint8Array.of(byte))
}

describe('a body that is no answer', () => {
  test.each(NO_ANSWERS)('is called that, in one piece or in many: %s', (_title, text) => {
    expect(ended([bytesOf(text)]).end).toBe('no_answer')
    expect(ended(bytewise(text)).end).toBe('no_answer')
  })

  test.each(NO_RECORDS)('has a record that is none: %s', (_title, bad) => {
    const wrapped = `{"result":{"context":{"slot":1},"value":[${GOOD},${bad}]}}`
    const lists = [list(bad), list(GOOD, bad), list(bad, GOOD), list(GOOD, bad, GOOD)]
    for (const text of [...lists, wrapped]) {
      expect(ended([bytesOf(text)]).end).toBe('no_answer')
      expect(ended(bytewise(text)).end).toBe('no_answer')
    }
  })

  test('may be nothing, or nothing but white space', () => {
    expect(ended([]).end).toBe('no_answer')
    expect(ended([new Uint8Array()]).end).toBe('no_answer')
    expect(ended([bytesOf(' \n'), bytesOf('\t')]).end).toBe('no_answer')
  })

  test('is refused at once, so that nobody reads it to its end', () => {
    const got = ended([bytesOf('<html>'), bytesOf(list(GOOD))])
    expect(got).toEqual({ end: 'no_answer', keys: [], goesOn: [false, false] })
  })

  test('has the records before its fault heard, and none after it', () => {
    const got = ended([bytesOf(list(GOOD, `{"pubkey":"${B}"}`, '{}', GOOD))])
    expect(got).toEqual({ end: 'no_answer', keys: [A, B], goesOn: [false] })
  })

  test('is refused when bytes come that are no UTF-8 where a name is read', () => {
    expect(ended([bytesOf('{"'), Uint8Array.of(0xff), bytesOf('":1,"result":[]}')]).end).toBe(
      'no_answer',
    )
  })

  test.each([
    ['text that never ends', `{"result":[{"a":"`, 'A'],
    ['an object that never ends', `{"result":[{"a":[`, '[],'],
    ['white space after a name', '{"result"', ' '],
    ['a name that never ends', '{"', 'a'],
  ])('is given up before it fills the memory: %s', (_title, start, more) => {
    const cutter = openRecordCutter({ envelope: () => {}, record: () => {}, error: () => {} })
    const chunk = bytesOf(more.repeat(1024 * 1024))
    let goesOn = cutter.push(bytesOf(start))
    let pushed = 0
    while (goesOn && pushed < 100 * 1024 * 1024) {
      goesOn = cutter.push(chunk)
      pushed += chunk.length
    }
    expect(goesOn).toBe(false)
    expect(cutter.end()).toBe('no_answer')
  })

  test('is never taken for a whole one with records that were not sent', () => {
    const text = `{"id":1,"result":{"context":{"slot":5},"value":[${GOOD},{"pubkey":"${B}"}]}}`
    const original = bytesOf(text)
    const chance = seededChance(13)
    for (let round = 0; round < sized(5_000, 20_000); round++) {
      const bytes = original.slice()
      const faults = chance.between(1, 3)
      for (let fault = 0; fault < faults; fault++) {
        bytes[chance.between(0, bytes.length - 1)] = chance.pick([
          ...bytesOf('{}[]",:\\ 1aA\u0000'),
        ])
      }
      const split = chance.between(0, bytes.length)
      const got = ended([bytes.subarray(0, split), bytes.subarray(split)])
      const { end, keys } = ended([bytes])
      if (end !== got.end || keys.join() !== got.keys.join()) expect({ end, keys }).toEqual(got)
      if (got.end === 'whole') expect(got.keys).toEqual(keysOf(Buffer.from(bytes).toString()))
    }
  })
})

/** What another reader makes of the same reply. */
function keysOf(text: string): string[] {
  const { result } = JSON.parse(text) as { result: Records | { value: Records } }
  return (Array.isArray(result) ? result : result.value).map((record) => record.pubkey)
}

type Records = { pubkey: string }[]
