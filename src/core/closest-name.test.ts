import { expect, test } from 'bun:test'
import { closestName } from './closest-name.ts'

const KNOWN = ['timeoutMs', 'retryDelaysMs', 'allowPrivateDestinations', 'url']

test.each([
  ['a forgotten unit', 'timeout', 'timeoutMs'],
  ['a slip of the finger', 'retryDelysMs', 'retryDelaysMs'],
  ['the wrong case', 'TIMEOUTMS', 'timeoutMs'],
  ['two swapped letters in a long name', 'allowPrivateDestinatoins', 'allowPrivateDestinations'],
  ['one slip in a short name', 'ur', 'url'],
  ['something else altogether', 'colour', undefined],
  ['nothing', '', undefined],
  ['a name of a megabyte', 'timeoutMs'.repeat(120_000), undefined],
])('%s: %s was meant as %s', (_, written, meant) => {
  expect(closestName(written, KNOWN)).toBe(meant)
})

test('the nearer of two names wins', () => {
  expect(closestName('timeoutMx', ['timeoutMax', 'timeoutMs'])).toBe('timeoutMax')
  expect(closestName('timeoutM', ['timeoutMax', 'timeoutMs'])).toBe('timeoutMs')
})
