import { expect, test } from 'bun:test'
import { errorText } from './errors.ts'

class Nameless extends Error {
  override readonly name = 'Nameless'
}

test.each([
  ['an error', new Error('the disk is full'), 'the disk is full'],
  ['an error without a message', new Nameless(), 'Nameless'],
  ['a text', 'no', 'no'],
  ['nothing', undefined, 'undefined'],
  ['null', null, 'null'],
  ['a symbol', Symbol('odd'), 'Symbol(odd)'],
  ['an object that is no error', { message: 'no' }, '[object Object]'],
  ['an object without a prototype', Object.create(null), 'unknown'],
  [
    'an object that refuses to be text',
    {
      toString() {
        throw new Error('no')
      },
    },
    'unknown',
  ],
])('%s has a text', (_title, thrown, text) => {
  expect(errorText(thrown)).toBe(text)
})
