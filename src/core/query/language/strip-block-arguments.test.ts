import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../errors.ts'
import { compileQuery } from './compile-query.ts'
import { stripBlockArguments } from './strip-block-arguments.ts'

const HASH = `0x${'ab'.repeat(32)}`

describe('the block that a query names', () => {
  test.each([
    ['a number', '{ block(number: 5) { hash } }', '{ block { hash } }'],
    ['a hash', `{ block(hash: "${HASH}") { hash } }`, '{ block { hash } }'],
    ['without spaces', '{block(number:5){hash}}', '{block{hash}}'],
    ['both, one of them null', '{ block(number: 5, hash: null) { hash } }', '{ block { hash } }'],
    [
      'among comments, commas and odd spaces',
      '# block(number: 5)\n{,block # of (\n (\n# five )\n number\t:5 # )\n ,\n)\u{FEFF}@include(if: true) { hash } }',
      '# block(number: 5)\n{,block # of (\n \u{FEFF}@include(if: true) { hash } }',
    ],
    [
      'twice, and behind a block of the same name that is not the root',
      '{ block(number: 5) { transactions { block { hash } } } block(number: 5) { number } }',
      '{ block { transactions { block { hash } } } block { number } }',
    ],
    [
      'in a fragment, with text of several bytes a character before it',
      '# 資金\n{ ...F }\nfragment F on Query { ... { block(number: "0x5") { hash } } }',
      '# 資金\n{ ...F }\nfragment F on Query { ... { block { hash } } }',
    ],
    [
      'nowhere',
      '{ block { logs(filter: {}) { data } } }',
      '{ block { logs(filter: {}) { data } } }',
    ],
  ])('is cut out, and nothing else: %s', (_title, text, stripped) => {
    expect(stripBlockArguments(text)).toBe(stripped)
    expect(planOf(stripped)).toEqual({ ...planOf(text), dryRunBlock: null })
  })
})

function planOf(text: string) {
  const plan = compileQuery(text)
  if (plan instanceof Rejection) throw new Error(plan.message)
  return plan
}
