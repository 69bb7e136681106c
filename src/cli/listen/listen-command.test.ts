import { expect, test } from 'bun:test'
import { readSince } from './listen-command.ts'

test.each([
  ['10m', 1_000_000 - 600_000],
  ['0s', 1_000_000],
  ['1970-01-01T00:05:00Z', 300_000],
  ['1970-01-02', 86_400_000],
  ['', null],
  ['yesterday', null],
  ['10', null],
  ['-5m', null],
  ['1970-13-45', null],
  ['1970-01-01T00:05:00', null],
])('the moment %j', (text, ms) => {
  expect(readSince(text, 1_000_000)).toBe(ms)
})
