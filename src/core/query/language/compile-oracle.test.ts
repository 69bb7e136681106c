import { describe, expect, test } from 'bun:test'
import {
  execute,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  validate,
} from 'graphql'
import { seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../../tests/support/basics/sized.ts'
import { randomQuery } from '../../../../tests/support/blocks/random-query.ts'
import { Rejection } from '../../errors.ts'
import { compileQuery } from './compile-query.ts'
import type { SelectionSet } from './query-plan.ts'
import { querySchema } from './query-schema.ts'

const CASES = sized(250, 600)
const TIME_LIMIT_MS = 60_000

const material = {
  addresses: [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`],
  topics: [`0x${'c3'.repeat(32)}`, `0x${'d4'.repeat(32)}`],
  addressVariables: ['wallets', 'pools'],
  topicVariables: ['events'],
}

describe('a compiled query, beside graphql-js', () => {
  test(
    'is refused exactly where graphql-js finds it invalid',
    () => {
      let refused = 0
      for (let seed = 1; seed <= CASES; seed++) {
        const text = randomQuery(seededChance(seed), material)
        const errors = validate(querySchema(), parse(text)).map(({ message }) => message)
        const compiled = compileQuery(text)
        const verdict = { seed, text, refused: compiled instanceof Rejection }
        expect(verdict).toEqual({ seed, text, refused: errors.length > 0 })
        if (compiled instanceof Rejection) refused += 1
      }
      // Both verdicts must come up, or nothing was compared.
      expect(refused).toBeGreaterThan(CASES / 50)
      expect(refused).toBeLessThan(CASES / 2)
    },
    TIME_LIMIT_MS,
  )

  test(
    'has the names of the response in the order of graphql-js, empty objects included',
    () => {
      let compared = 0
      for (let seed = 1; seed <= CASES; seed++) {
        const text = randomQuery(seededChance(seed), material)
        const plan = compileQuery(text)
        if (plan instanceof Rejection) continue
        const ours = `${plan.root.before}${shapeOf(plan.selection)}${plan.root.after}`
        expect({ seed, shape: ours }).toEqual({ seed, shape: executedShape(text) })
        compared += 1
      }
      expect(compared).toBeGreaterThan(CASES / 2)
    },
    TIME_LIMIT_MS,
  )
})

/** The answer of graphql-js when each list has one item and each scalar is "x". */
function executedShape(text: string): string {
  const result = execute({
    schema: querySchema(),
    document: parse(text),
    variableValues: { wallets: [], pools: [], events: [] },
    fieldResolver: (_source, _args, _context, { returnType }) => {
      const value = isObjectType(getNamedType(returnType)) ? {} : 'x'
      const type = isNonNullType(returnType) ? returnType.ofType : returnType
      return isListType(type) ? [value] : value
    },
  })
  if (result instanceof Promise || result.errors) throw new Error('the oracle has no answer')
  return JSON.stringify(result.data)
}

function shapeOf({ on, fields }: SelectionSet): string {
  const type = querySchema().getType(on)
  if (!isObjectType(type)) throw new Error(`${on} is no entity`)
  const members = fields.map(({ responseName, name, selection }) => {
    if (name === '__typename') return `${JSON.stringify(responseName)}:"${on}"`
    const fieldType = type.getFields()[name]!.type
    const item = selection ? shapeOf(selection) : '"x"'
    const isList = isListType(isNonNullType(fieldType) ? fieldType.ofType : fieldType)
    return `${JSON.stringify(responseName)}:${isList ? `[${item}]` : item}`
  })
  return `{${members.join()}}`
}
