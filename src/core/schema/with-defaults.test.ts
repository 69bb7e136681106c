import { describe, expect, test } from 'bun:test'
import type { JsonSchema } from './json-schema.ts'
import { withDefaults } from './with-defaults.ts'

describe('withDefaults', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      listen: { type: 'string', default: ':80' },
      cache: {
        type: 'object',
        default: {},
        properties: { maxBytes: { type: 'integer', default: 64 } },
      },
      list: { type: 'array', items: { properties: { n: { default: 1 } } } },
      map: { type: 'object', additionalProperties: { properties: { n: { default: 2 } } } },
      either: {
        anyOf: [{ type: 'string' }, { type: 'object', properties: { n: { default: 3 } } }],
      },
    },
  }

  test('fills in what is absent, at every depth', () => {
    const value = { list: [{}, { n: 9 }], map: { a: {} }, either: {} }
    expect(withDefaults(schema, value)).toEqual({
      listen: ':80',
      cache: { maxBytes: 64 },
      list: [{ n: 1 }, { n: 9 }],
      map: { a: { n: 2 } },
      either: { n: 3 },
    })
  })

  test('leaves what is given and what has no default', () => {
    const value = { listen: ':1', cache: { maxBytes: 0 }, more: null }
    expect(withDefaults(schema, value)).toEqual(value)
  })

  test('gives everyone a copy of a default of their own', () => {
    const lists: JsonSchema = { properties: { l: { type: 'array', default: [1] } } }
    const one = withDefaults(lists, {}) as { l: number[] }
    one.l.push(2)
    expect(withDefaults(lists, {})).toEqual({ l: [1] })
  })

  test('does not let __proto__ become a prototype', () => {
    const value = withDefaults({ type: 'object' }, JSON.parse('{"__proto__":{"admin":true}}'))
    expect((value as { admin?: boolean }).admin).toBeUndefined()
    expect(Object.keys(value as object)).toEqual(['__proto__'])
  })
})
