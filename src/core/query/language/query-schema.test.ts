import { expect, test } from 'bun:test'
import { execute, parse } from 'graphql'
import { querySchema } from './query-schema.ts'

const HASH = `0x${'Ab'.repeat(32)}`

test('the schema is built once', () => {
  expect(querySchema()).toBe(querySchema())
})

test.each([
  ['a literal', `{ block(hash: "${HASH}", number: "0x10") { hash } }`, {}],
  [
    'the value of a variable',
    'query ($hash: Bytes32, $number: Long) { block(hash: $hash, number: $number) { hash } }',
    { hash: HASH, number: '16' },
  ],
])('%s reaches a resolver in our form', (_title, text, variableValues) => {
  const asked: unknown[] = []
  const block = (args: unknown) => {
    asked.push(args)
    return null
  }
  execute({ schema: querySchema(), document: parse(text), rootValue: { block }, variableValues })
  expect(asked).toEqual([{ hash: HASH.toLowerCase(), number: 16 }])
})

test.each([
  ['0x12', 1],
  [HASH, -1],
  [HASH, 1.5],
  [HASH, '1e3'],
  [HASH, ''],
  [HASH, '0x'],
  [HASH, `${2 ** 53}`],
  [HASH.replace('0x', '0X'), 1],
  [1, 1],
  [HASH, true],
])('a variable of %p and %p is refused', (hash, number) => {
  const text =
    'query ($hash: Bytes32, $number: Long) { block(hash: $hash, number: $number) { hash } }'
  const variableValues = { hash, number }
  const result = execute({ schema: querySchema(), document: parse(text), variableValues })
  expect(result).toHaveProperty('errors')
})
