import { expect, test } from 'bun:test'
import { checkSchema } from './check-schema.ts'
import { NAME } from './json-schema.ts'
import {
  anyOf,
  choice,
  constant,
  count,
  described,
  flag,
  list,
  mapOf,
  nullable,
  object,
  preset,
  record,
  type Static,
  text,
} from './schema.ts'
import { withDefaults } from './with-defaults.ts'

const POINT = record('Point', { x: count('Across.'), y: count() }, { label: text() })

const SHAPE = object(
  {
    kind: choice(['line', 'area']),
    version: constant(2),
    points: list(POINT, { minItems: 1 }),
    colour: nullable(text({ maxLength: 7 })),
    origin: nullable(POINT),
    border: anyOf(flag(), count()),
  },
  { notes: mapOf(text()), fill: nullable(choice(['none', 'solid'])) },
)

/** That it compiles is the test: each member has the type that its schema lets through. */
const FITTING: Static<typeof SHAPE> = {
  kind: 'area',
  version: 2,
  points: [{ x: 1, y: 2 }],
  colour: null,
  origin: { x: 0, y: 0, label: 'here' },
  border: true,
  notes: { a: 'b' },
  fill: null,
}

test('a definition is a schema that its own type passes', () => {
  expect(checkSchema(SHAPE, FITTING)).toEqual([])
})

test('what the type refuses, the check refuses', () => {
  // @ts-expect-error there is no such kind
  const kind: Static<typeof SHAPE>['kind'] = 'circle'
  // @ts-expect-error x is a number
  const points: Static<typeof SHAPE>['points'] = [{ x: '1', y: 2 }]
  // @ts-expect-error y is required
  const origin: Static<typeof SHAPE>['origin'] = { x: 1 }
  const faults = checkSchema(SHAPE, { ...FITTING, kind, points, origin, fill: 'striped', more: 1 })
  expect(faults.map(({ message }) => message)).toEqual([
    'kind must be one of line, area',
    'points[0].x must be a whole number',
    'origin.y is required',
    'fill must be one of none, solid, null',
    'more is not an option',
  ])
})

test('a member with a preset is there in any case, in the type and in the value', () => {
  const box = object({}, { width: preset(count(), 1), label: text() })
  const filled: { readonly width: number; readonly label?: string } = withDefaults(box, {})
  expect(filled).toEqual({ width: 1 })
})

test('each builder writes the schema that one would write by hand', () => {
  expect(POINT).toEqual({
    [NAME]: 'Point',
    type: 'object',
    required: ['x', 'y'],
    properties: {
      x: { type: 'integer', minimum: 0, description: 'Across.' },
      y: { type: 'integer', minimum: 0 },
      label: { type: 'string' },
    },
    additionalProperties: false,
  })
  expect(object({}, { a: flag() })).toEqual({
    type: 'object',
    properties: { a: { type: 'boolean' } },
    additionalProperties: false,
  })
  expect(nullable(text('Or nothing.'))).toEqual({
    type: ['string', 'null'],
    description: 'Or nothing.',
  })
  expect(nullable(POINT)).toEqual({ anyOf: [POINT, { type: 'null' }] })
  expect(preset(count({ maximum: 9 }), 3)).toEqual({
    type: 'integer',
    minimum: 0,
    maximum: 9,
    default: 3,
  })
})

test('a description beside a named schema does not change the schema', () => {
  expect(described(POINT, 'Where it starts.')).toEqual({
    ...POINT,
    description: 'Where it starts.',
  })
})
