import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type QueryApi, queryApi } from '../../../tests/support/deliveries/query-api.ts'
import { type JsonSchema, typesOf } from '../../core/schema/json-schema.ts'
import { CONTRACT } from '../contract/contract.ts'
import type { Operation } from '../contract/operation.ts'

/** Texts that a store, a log or a parser may stumble over. */
const HOSTILE = [
  '\0',
  'a\0b',
  '{ block { number } } # \0',
  '\u0001\u001b[31m',
  '\u007f\u0085\u2028',
  '\ud800',
  '\udfff\ud800',
  '\uffff\ufeff\u202e',
  `'; DROP TABLE teams; --`,
  '%00%2e%2e/..',
  '__proto__',
  '😀'.repeat(3000),
]

const CALLS: [id: string, operation: Operation][] = Object.entries(CONTRACT)

let on: QueryApi
beforeAll(async () => {
  on = await queryApi()
})
afterAll(() => on.close())

describe('a text that no field is meant to hold is refused, and nothing breaks', () => {
  test.each(CALLS)('in %s', async (id, call) => {
    for (const text of HOSTILE) {
      for (const sent of placesOf(call, text)) {
        const answer = await send(call, sent)
        const told = { ...sent, status: answer.status, body: answer.text }
        // Half a character in an address arrives as another one, which may be fine.
        const isUnfit = /\p{Cc}/u.test(text)
        // A check of a query says what is wrong with it in its answer.
        const isWrong = id === 'checkQuery' && answer.text.includes('"ok":false')
        const isRefused = (answer.status >= 400 && answer.status < 500) || isWrong
        expect(isUnfit ? isRefused : answer.status < 500, JSON.stringify(told)).toBe(true)
        // Neither a control character nor half a character comes back.
        expect(answer.text).toMatch(/^[^\p{Cc}\p{Cs}]*$/u)
        on.api.time.nowMs += 1000
      }
    }
    expect(on.api.logged.filter((fields) => fields.code === 'bug')).toEqual([])
  })

  test('in fields that are to come as well: each says which texts it takes', () => {
    const open = CALLS.flatMap(([id, { parameters, body }]) => [
      ...Object.entries(parameters).flatMap(([name, { schema }]) => openTexts(schema, name)),
      ...openTexts(body?.schema ?? {}, id),
    ])
    expect(open).toEqual([])
  })
})

type Sent = { path: Record<string, string>; query: Record<string, string>; body: unknown }

/** The call as its example has it, with the text in one place at a time. */
function placesOf({ path, parameters, body }: Operation, text: string): Sent[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const base = { path: Object.fromEntries(names.map((name) => [name, 'usual'])), query: {} }
  const example = body?.example
  const asked = Object.entries(parameters).filter(([, one]) => one.in === 'query')
  const required = asked.filter(([, one]) => one.required)
  const query = Object.fromEntries(required.map(([name]) => [name, 'usual']))
  const inPath = names.map((name) => {
    return { ...base, query, path: { ...base.path, [name]: text }, body: example }
  })
  const inQuery = asked.map(([name]) => {
    return { ...base, query: { ...query, [name]: text }, body: example }
  })
  const inBody = withText(body?.schema ?? null, example, text).map((body) => {
    return { ...base, query, body }
  })
  return [...inPath, ...inQuery, ...inBody]
}

/** The example with the text as each of its members, those that it does not name included. */
function withText(schema: JsonSchema | null, value: unknown, text: string): unknown[] {
  if (!schema) return []
  const { anyOf: branches = [], properties = {} } = schema
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const own = value as Record<string, unknown> | undefined
    return withText(member, own?.[name], text).map((changed) => ({ ...own, [name]: changed }))
  })
  const items = schema.items ? [[text]] : []
  const itself = typesOf(schema).includes('string') || schema.const !== undefined ? [text] : []
  return [
    ...branches.flatMap((branch) => withText(branch, value, text)),
    ...members,
    ...items,
    ...itself,
  ]
}

async function send({ method, path, audience }: Operation, sent: Sent) {
  const { api } = on
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeText(sent.path[name] ?? ''))
  const query = Object.entries(sent.query).map(([name, text]) => `${name}=${encodeText(text)}`)
  const token = audience === 'operator' ? api.operatorToken : api.teamToken
  const response = await fetch(
    `${api.url}${filled}${query.length > 0 ? '?' : ''}${query.join('&')}`,
    {
      method: method.toUpperCase(),
      headers: { 'x-service-token': token, 'content-type': 'application/json' },
      ...(sent.body !== undefined && { body: JSON.stringify(sent.body) }),
    },
  )
  return { status: response.status, text: await response.text() }
}

/** Halves of characters, which have no encoding, go as the bytes that they would be in UTF-8. */
function encodeText(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80'
}

/** The paths of texts that may hold anything. */
function openTexts(schema: JsonSchema, path: string): string[] {
  const { pattern, anyOf = [], items, properties = {} } = schema
  const isOpen = typesOf(schema).includes('string') && pattern === undefined && !schema.enum
  return [
    ...(isOpen ? [path] : []),
    ...anyOf.flatMap((branch) => openTexts(branch, path)),
    ...(items ? openTexts(items, `${path}[]`) : []),
    ...Object.entries(properties).flatMap(([name, one]) => openTexts(one, `${path}.${name}`)),
  ]
}
