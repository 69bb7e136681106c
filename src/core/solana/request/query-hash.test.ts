import { describe, expect, test } from 'bun:test'
import { encodeBase58 } from '../base58.ts'
import { isSolanaError } from '../solana-error.ts'
import { type ProgramAccountsCall, readProgramAccountsCall } from './program-accounts.ts'
import { queryHash, upstreamParams } from './query-hash.ts'

const PROGRAM = 'Stake11111111111111111111111111111111111111'
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const RULES = { defaultEncoding: 'json', pageLimit: 10_000 } as const
const OWNER = encodeBase58(new Uint8Array(32).fill(7))

describe('the hash of a query', () => {
  const plain = queryHash(config(''))

  test('is SHA-256 in hex', () => {
    expect(plain).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([
    ['the number of records', '"limit":5'],
    ['the page', '"pageKey":"abc"'],
    ['the wrapper', '"withContext":true'],
    ['the least slot', '"minContextSlot":5'],
    ['the default, said aloud', '"encoding":"json","commitment":"finalized","order":"asc"'],
    ['another word for the same', '"encoding":"base64","commitment":"max"'],
    ['filters that are none', '"filters":[]'],
  ])('is the same whatever is said of %s', (_title, members) => {
    expect(queryHash(config(members))).toBe(plain)
  })

  test('is the same for the same filters in other words and another order', () => {
    const first = '"filters":[{"dataSize":8},{"memcmp":{"offset":1,"bytes":[1,2]}}]'
    const second =
      '"filters":[{"memcmp":{"bytes":"AQI=","encoding":"base64","offset":1}},' +
      '{"dataSize":8},{"dataSize":8}]'
    expect(queryHash(config(first))).toBe(queryHash(config(second)))
  })

  test('is another one for everything that changes the records or their text', () => {
    const hashes = [
      '',
      '"encoding":"base58"',
      '"encoding":"binary"',
      '"encoding":"jsonParsed"',
      '"encoding":"base64+zstd"',
      '"commitment":"confirmed"',
      '"commitment":"processed"',
      '"order":"desc"',
      '"dataSlice":{"offset":0,"length":0}',
      '"dataSlice":{"offset":1,"length":0}',
      '"dataSlice":{"offset":0,"length":1}',
      '"filters":["tokenAccountState"]',
      '"filters":[{"dataSize":1}]',
      '"filters":[{"dataSize":2}]',
      '"filters":[{"memcmp":{"offset":0,"bytes":[]}}]',
      '"filters":[{"memcmp":{"offset":0,"bytes":[0]}}]',
      '"filters":[{"memcmp":{"offset":0,"bytes":[0,0]}}]',
      '"filters":[{"memcmp":{"offset":1,"bytes":[0]}}]',
    ].map((members) => queryHash(config(members)))
    hashes.push(queryHash(call(`["${TOKEN}"]`)))
    const v2 = (members: string) =>
      ready(readProgramAccountsCall(`["${PROGRAM}",{${members}}]`, RULES, 2))
    hashes.push(queryHash(v2('')), queryHash(v2('"changedSinceSlot":5')))
    hashes.push(queryHash(v2('"changedSinceSlot":18446744073709551615')))
    hashes.push(queryHash(v2('"changedSinceSlot":18446744073709551614')))
    expect(new Set(hashes).size).toBe(hashes.length)
  })

  test('does not depend on whether a caller says what a node adds anyway', () => {
    const owner = `{"memcmp":{"offset":32,"bytes":"${OWNER}"}},{"dataSize":165}`
    const implied = call(`["${TOKEN}",{"filters":[${owner}]}]`)
    const said = call(`["${TOKEN}",{"filters":[${owner},"tokenAccountState"]}]`)
    expect(queryHash(implied)).toBe(queryHash(said))
  })
})

describe('what is sent to a node', () => {
  test('is sorted and comes with the slot, in a node’s own words', () => {
    expect(upstreamParams(config('"encoding":"json","order":"desc","limit":5'))).toBe(
      `["${PROGRAM}",{"encoding":"base64","commitment":"finalized",` +
        '"withContext":true,"sortResults":true}]',
    )
  })

  test('keeps filters, slice and all digits', () => {
    const asked = config(
      '"encoding":"base64+zstd","commitment":"recent","minContextSlot":18446744073709551615,' +
        '"dataSlice":[1,2],"filters":[{"dataSize":200},"tokenAccountState",' +
        '{"memcmp":{"offset":9,"bytes":"AAE=","encoding":"base64"}}]',
    )
    expect(upstreamParams(asked)).toBe(
      `["${PROGRAM}",{"encoding":"base64+zstd","commitment":"processed",` +
        '"withContext":true,"sortResults":true,' +
        '"filters":[{"dataSize":200},"tokenAccountState",{"memcmp":{"offset":9,"bytes":"12"}}],' +
        '"dataSlice":{"offset":1,"length":2},"minContextSlot":18446744073709551615}]',
    )
  })

  test('reads back as the same query', () => {
    const asked = config(
      '"encoding":"base58","commitment":"single","dataSlice":[0,18446744073709551615],' +
        `"filters":[{"memcmp":{"offset":4,"bytes":"${OWNER}"}},{"memcmp":{"offset":4,"bytes":""}}]`,
    )
    expect(queryHash(call(upstreamParams(asked)))).toBe(queryHash(asked))
  })

  test('can be asked for other than the caller did, as for keys alone', () => {
    const asked = config('"encoding":"jsonParsed","minContextSlot":7,"filters":[{"dataSize":1}]')
    const keysOnly = upstreamParams(asked, {
      encoding: 'base64',
      dataSlice: { offset: 0, length: 0 },
      commitment: 'confirmed',
      minContextSlot: 9n,
      filters: [],
    })
    expect(keysOnly).toBe(
      `["${PROGRAM}",{"encoding":"base64","commitment":"confirmed","withContext":true,` +
        '"sortResults":true,"dataSlice":{"offset":0,"length":0},"minContextSlot":9}]',
    )
    expect(upstreamParams(asked, { minContextSlot: null })).not.toContain('minContextSlot')
  })

  test('never holds more than the four filters a node takes', () => {
    const owner = `{"memcmp":{"offset":32,"bytes":"${OWNER}"}},{"dataSize":165}`
    const more = '{"memcmp":{"offset":64,"bytes":[1]}},{"memcmp":{"offset":65,"bytes":[1]}}'
    const asked = call(`["${TOKEN}",{"filters":[${owner},${more}]}]`)
    expect(asked.filters).toHaveLength(5)
    const [, sent] = JSON.parse(upstreamParams(asked)) as [string, { filters: unknown[] }]
    expect(sent.filters).toHaveLength(4)
    expect(sent.filters).not.toContain('tokenAccountState')
  })
})

function config(members: string): ProgramAccountsCall {
  return call(`["${PROGRAM}",{${members}}]`)
}

function call(params: string): ProgramAccountsCall {
  return ready(readProgramAccountsCall(params, RULES))
}

function ready(outcome: ReturnType<typeof readProgramAccountsCall>): ProgramAccountsCall {
  if (isSolanaError(outcome)) throw new Error(outcome.message)
  return outcome
}
