import { expect, test } from 'bun:test'
import { backlogLevel, isFull } from './backlog.ts'

const LIMIT = 100

test.each([
  [0, 'within', false, false],
  [100, 'within', false, false],
  [101, 'above', true, false],
  [200, 'above', true, false],
  [201, 'far_above', true, true],
] as const)('%d of 100 bytes are %s the limit', (bytes, level, isFullFirst, isFullDraining) => {
  expect(backlogLevel({ bytes }, LIMIT)).toBe(level)
  expect(isFull({ bytes, draining: false }, LIMIT)).toBe(isFullFirst)
  expect(isFull({ bytes, draining: true }, LIMIT)).toBe(isFullDraining)
})
