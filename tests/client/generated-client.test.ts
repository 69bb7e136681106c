import { describe, expect, test } from 'bun:test'
import { clientSources } from '../../scripts/client/client-sources.ts'
import { ANSWERED, commentText, typeText } from '../../scripts/client/type-text.ts'
import { CONTRACT } from '../../src/http/contract/contract.ts'
import { OPEN_API } from '../../src/http/contract/open-api-document.ts'

describe('the generated part of the client', () => {
  const sources = clientSources(OPEN_API)

  test('has every call of the contract, by its method and path', () => {
    for (const [id, { method, path }] of Object.entries(CONTRACT)) {
      expect(sources['call-routes.ts']).toContain(`  ${id}: '${method.toUpperCase()} ${path}',\n`)
    }
  })

  test('knows how each list leads to its next page', () => {
    const paged = sources['call-routes.ts']?.split('PAGED_CALLS')[1] ?? ''
    expect(paged).toContain("listDeliveries: { parameter: 'cursor', member: 'after' }")
    expect(paged).toContain("listVariableItems: { parameter: 'after', member: 'after' }")
    expect(paged).toContain("listInboxArrivals: { parameter: 'before', member: 'before' }")
  })
})

test.each([
  [{}, 'unknown'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: ['string', 'null'], enum: ["it's", null] }, "'it\\'s' | null"],
  [{ const: 'V2' }, "'V2'"],
  [{ $ref: '#/components/schemas/App' }, 'App'],
  [{ type: 'array', items: { $ref: '#/components/schemas/App' } }, 'readonly App[]'],
  [{ type: 'array', items: { type: ['integer', 'null'] } }, 'ReadonlyArray<number | null>'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string | null'],
  [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
  [
    { type: 'object', additionalProperties: { type: 'string' } },
    'Readonly<Record<string, string>>',
  ],
  [
    { type: 'object', required: ['a'], properties: { a: { type: 'boolean' }, 'b-c': {} } },
    "{\n  a: boolean\n  'b-c'?: unknown\n}",
  ],
] as const)('the type of %j', (schema, type) => {
  expect(typeText(schema, 0, ANSWERED)).toBe(type)
})

test('what has a default may be left out where it is sent, and is there in answers', () => {
  const schema = { type: 'object', properties: { a: { type: 'boolean', default: false } } } as const
  expect(typeText(schema, 0, ANSWERED)).toBe('{\n  a: boolean\n}')
  expect(typeText(schema, 0, { ...ANSWERED, isSent: true })).toBe('{\n  a?: boolean\n}')
})

test('a description cannot end its comment, and long ones are wrapped', () => {
  expect(commentText('*/ evil() /*', 0)).toBe('/** *\\/ evil() /* */\n')
  const lines = commentText(`${'word '.repeat(60)}\n\nlast`, 1).split('\n')
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(lines.at(-3)).toBe('   * last')
})
