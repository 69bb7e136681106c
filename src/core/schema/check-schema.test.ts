import { describe, expect, test } from 'bun:test'
import { checkSchema } from './check-schema.ts'
import type { JsonSchema } from './json-schema.ts'

function messages(schema: JsonSchema, value: unknown): string[] {
  return checkSchema(schema, value).map(({ message }) => message)
}

function field(schema: JsonSchema): JsonSchema {
  return { type: 'object', properties: { f: schema }, additionalProperties: false }
}

describe('each keyword says in a sentence what is wrong', () => {
  const rows: [schema: JsonSchema, value: unknown, message: string][] = [
    [{ type: 'string' }, 1, 'f must be a string'],
    [{ type: 'integer' }, 1.5, 'f must be a whole number'],
    [{ type: 'integer' }, '1', 'f must be a whole number'],
    [{ type: 'integer' }, 2 ** 53, 'f must be a whole number below 2^53'],
    [{ type: 'number' }, Number.NaN, 'f must be a number'],
    [{ type: 'number' }, Number.POSITIVE_INFINITY, 'f must be a number'],
    [{ type: 'boolean' }, 0, 'f must be true or false'],
    [{ type: 'array' }, {}, 'f must be a list'],
    [{ type: 'object' }, [], 'f must be an object'],
    [{ type: 'object' }, null, 'f must be an object'],
    [{ type: 'null' }, 0, 'f must be null'],
    [{ type: ['integer', 'null'] }, 'x', 'f must be a whole number or null'],
    [{ enum: ['evm', 'solana', 3] }, 'btc', 'f must be one of evm, solana, 3'],
    [{ const: 'GRAPHQL' }, 'graphql', 'f must be GRAPHQL'],
    [{ type: 'string', minLength: 1 }, '', 'f must not be empty'],
    [{ type: 'string', minLength: 3 }, 'ab', 'f must have at least 3 characters'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'f must have at most 2 characters'],
    [{ type: 'string', pattern: '^a+$' }, 'b', 'f must match ^a+$'],
    [{ type: 'string', pattern: '^a+$', 'x-form': 'some a' }, 'b', 'f must be some a'],
    [{ type: 'number', minimum: 2 }, 1, 'f must be at least 2'],
    [{ type: 'number', maximum: 2 }, 3, 'f must be at most 2'],
    [{ type: 'array', minItems: 1 }, [], 'f must have at least one entry'],
    [{ type: 'array', maxItems: 2 }, [1, 2, 3], 'f must have at most 2 entries'],
    [{ type: 'array', uniqueItems: true }, [1, '1', 1], 'f[2] repeats an earlier entry'],
    [
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      'f[1] repeats an earlier entry',
    ],
    [{ type: 'array', items: { type: 'integer' } }, [1, 'x'], 'f[1] must be a whole number'],
    [{ type: 'object', required: ['url'] }, {}, 'f.url is required'],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      { x: 1 },
      'f.x must be a string',
    ],
    [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'f must have at most one entry'],
    [
      { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
      { 'X!': 1 },
      'f["X…"] must match ^[a-z]+$',
    ],
  ]
  test.each(rows)('%j refuses %j: %s', (schema, value, message) => {
    expect(messages(field(schema), { f: value })).toEqual([message])
  })

  test.each<[schema: JsonSchema, value: unknown]>([
    [{ type: 'integer' }, 1],
    [{ type: 'integer' }, 1e3],
    [{ type: ['integer', 'null'] }, null],
    [{ type: 'string', maxLength: 2 }, '🦀🦀'],
    [{ type: 'string', title: 'uri' }, 'anything'],
    [{ const: { a: [1] } }, { a: [1] }],
    [{ type: 'object' }, { anything: true }],
    [{}, null],
  ])('%j accepts %j', (schema, value) => {
    expect(messages(field(schema), { f: value })).toEqual([])
  })
})

describe('unknown properties', () => {
  const schema = field({
    type: 'object',
    additionalProperties: false,
    properties: { timeoutMs: { type: 'integer' } },
  })

  test('are named, with the name that was probably meant', () => {
    expect(messages(schema, { f: { timeout: 1 } })).toEqual([
      'f.timeout is not an option; did you mean timeoutMs?',
    ])
    expect(messages(schema, { g: 1, f: {} })).toEqual(['g is not an option; did you mean f?'])
    expect(messages(schema, { f: { colour: 1 } })).toEqual(['f.colour is not an option'])
  })

  test('called __proto__, constructor or toString are plain unknown properties', () => {
    const hostile = JSON.parse('{"f":{"__proto__":{"timeoutMs":1},"constructor":1,"toString":1}}')
    expect(messages(schema, hostile)).toEqual([
      'f.__proto__ is not an option',
      'f.constructor is not an option',
      'f.toString is not an option',
    ])
  })

  test('inherited members do not count as given', () => {
    expect(messages({ type: 'object', required: ['toString'] }, {})).toEqual([
      'toString is required',
    ])
  })

  test('are cut before anything that could be a password', () => {
    expect(messages(schema, { f: { 'timeoutMs:http://user:hunter2@node': null } })).toEqual([
      'f["timeoutMs…"] is not an option',
    ])
  })
})

describe('anyOf', () => {
  const add: JsonSchema = {
    type: 'object',
    required: ['kind', 'items'],
    additionalProperties: false,
    properties: { kind: { const: 'add' }, items: { type: 'array', items: { type: 'string' } } },
  }
  const drop: JsonSchema = {
    type: 'object',
    required: ['kind'],
    additionalProperties: false,
    properties: { kind: { const: 'drop' } },
  }

  test('reports the branch that came closest', () => {
    const choice = field({ anyOf: [drop, add] })
    expect(messages(choice, { f: { kind: 'add', items: [1, 2] } })).toEqual([
      'f.items[0] must be a string',
      'f.items[1] must be a string',
    ])
    expect(messages(choice, { f: { kind: 'add', items: 'x', more: 1 } })).toEqual([
      'f.items must be a list',
      'f.more is not an option',
    ])
    expect(messages(choice, { f: { kind: 'drop', items: [] } })).toEqual([
      'f.items is not an option',
    ])
    expect(messages(choice, { f: { kind: 'add', items: ['x'] } })).toEqual([])
  })

  test('joins the types when none of them fits', () => {
    const schema = field({ anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }] })
    expect(messages(schema, { f: true })).toEqual(['f must be a whole number or a string'])
    expect(messages(schema, { f: '' })).toEqual(['f must not be empty'])
    expect(messages(schema, { f: 7 })).toEqual([])
  })

  test('takes a value that fits two branches', () => {
    const both: JsonSchema[] = [{ type: 'integer' }, { type: 'number' }]
    expect(messages(field({ anyOf: both }), { f: 1 })).toEqual([])
  })
})

describe('hostile values cost little', () => {
  const tree: JsonSchema = {
    type: 'array',
    get items(): JsonSchema {
      return tree
    },
  }
  const fork: JsonSchema = {
    type: 'array',
    get items(): JsonSchema {
      return { anyOf: [fork, fork] }
    },
  }

  function nested(levels: number): unknown {
    let value: unknown = []
    for (let level = 0; level < levels; level++) value = [value]
    return value
  }

  test('nesting ends at 64 levels', () => {
    expect(messages(tree, nested(64))).toEqual([])
    const [fault] = messages(tree, nested(100_000))
    expect(fault).toEndWith('is nested deeper than 64 levels')
  })

  test('branches within branches do not multiply without end', () => {
    expect(messages(fork, nested(60))).toEqual(['the value is too large to be checked'])
  })

  test('a million faults are told as twenty', () => {
    const schema: JsonSchema = { type: 'array', items: { type: 'string' } }
    expect(messages(schema, Array(100_000).fill(1))).toHaveLength(20)
    const unique: JsonSchema = { type: 'array', uniqueItems: true }
    expect(messages(unique, Array(100_000).fill(1))).toHaveLength(20)
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`k${at}`, 1]))
    expect(messages({ additionalProperties: false }, many)).toHaveLength(20)
  })

  test('long names are cut', () => {
    const [fault] = messages({ additionalProperties: false }, { ['k'.repeat(100_000)]: 1 })
    expect(fault!.length).toBeLessThan(120)
  })
})
