import { describe, expect, test } from 'bun:test'
import { answerMeaning, contextSlot, errorMeaning } from './answer-meaning.ts'

const evm = (text: string) => answerMeaning('evm', text)
const solana = (text: string) => answerMeaning('solana', text)

describe('two results mean the same', () => {
  test.each([
    ['whatever the case of hex', '"0xAbCd"', '"0xabcd"'],
    ['whatever the order of members', '{"a":1,"b":[{"c":2,"d":3}]}', '{"b":[{"d":3,"c":2}],"a":1}'],
    ['whatever the space between', ' { "a" : [ 1 , 2 ] } ', '{"a":[1,2]}'],
    ['however letters are escaped', '"caf\\u00e9"', '"café"'],
  ])('%s', (_title, one, other) => {
    expect(evm(one)).toBe(evm(other))
  })
})

describe('two results differ', () => {
  test.each([
    ['by the last digit of a u64', '18446744073709551615', '18446744073709551614'],
    ['by one inside an object', '{"lamports":9007199254740993}', '{"lamports":9007199254740992}'],
    ['by the order of a list', '[1,2]', '[2,1]'],
    ['by the case of what is no hex', '"Abc"', '"abc"'],
    ['by a leading zero, which data may have', '"0x01"', '"0x1"'],
    ['by null', 'null', '"0x"'],
    ['by a number as text', '"1"', '1'],
    ['by a member', '{"a":1}', '{"a":1,"b":null}'],
    ['far below the depth of any answer', `${'['.repeat(90)}1${']'.repeat(90)}`, '[1]'],
  ])('%s', (_title, one, other) => {
    expect(evm(one)).not.toBe(evm(other))
  })
})

test('a result of a slot means its value on Solana, and nowhere else', () => {
  const at = (slot: number, value: string) => `{"context":{"slot":${slot}},"value":${value}}`
  expect(solana(at(1, '5'))).toBe(solana(at(2, '5')))
  expect(solana(at(1, '5'))).not.toBe(solana(at(1, '6')))
  expect(evm(at(1, '5'))).not.toBe(evm(at(2, '5')))
  expect([
    contextSlot(at(7, '5')),
    contextSlot('5'),
    contextSlot('{"context":1,"value":2}'),
  ]).toEqual(['7', null, null])
  // A member more is another form, whose parts may all matter.
  expect(solana('{"context":1,"value":2,"x":3}')).not.toBe(solana('{"context":4,"value":2,"x":3}'))
})

test('an error means its data, whatever its code and words are', () => {
  const revert = '{"code":3,"message":"execution reverted","data":"0xAB"}'
  expect(errorMeaning(revert)).toBe(
    errorMeaning('{"data":"0xab","message":"VM Exception","code":-32000}'),
  )
  expect(errorMeaning(revert)).not.toBe(errorMeaning('{"code":3,"message":"execution reverted"}'))
})

test('any value means the same however it is spelled, and another when one leaf is', () => {
  let state = 7
  const chance = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  for (let round = 0; round < 200; round++) {
    const value = randomValue(chance, 0)
    const spelled = respelled(chance, value)
    expect(evm(spelled)).toBe(evm(JSON.stringify(value)))
    expect(evm(`[${spelled},0]`)).not.toBe(evm(`[${JSON.stringify(value)},1]`))
  }
})

type Chance = (below: number) => number

function randomValue(chance: Chance, depth: number): unknown {
  const kind = chance(depth > 4 ? 4 : 6)
  if (kind === 0) return `0x${chance(2 ** 30).toString(16)}`
  if (kind === 1) return chance(1_000_000)
  if (kind === 2) return [null, true, false][chance(3)]
  if (kind === 3) return `text "${chance(99)}" \\ { [`
  const parts = Array.from({ length: chance(5) }, () => randomValue(chance, depth + 1))
  if (kind === 4) return parts
  return Object.fromEntries(parts.map((part, at) => [`name"${at}`, part]))
}

/** The same value with its members shuffled, its hex in capitals and space strewn in. */
function respelled(chance: Chance, value: unknown): string {
  const space = () => [' ', '', '\n'][chance(3)]
  if (Array.isArray(value)) {
    return `[${space()}${value.map((part) => respelled(chance, part)).join(`,${space()}`)}]`
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(() => chance(3) - 1)
    const texts = members.map(
      ([name, part]) => `${JSON.stringify(name)}${space()}:${respelled(chance, part)}`,
    )
    return `${space()}{${texts.join(`${space()},`)}}`
  }
  if (typeof value === 'string' && value.startsWith('0x')) {
    return JSON.stringify(`0x${value.slice(2).toUpperCase()}`)
  }
  return JSON.stringify(value)
}
