import { expect, test } from 'bun:test'
import { accessListOf, type TracedStep } from './access-list.ts'

const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`
const slot = (number: number) => `0x${number.toString(16).padStart(64, '0')}`
const step = (depth: number, op: string, ...stack: string[]): TracedStep => ({ depth, op, stack })

const [FROM, TO, LIBRARY, MADE] = [address(0x500), address(0x600), address(0x700), address(0x800)]

test('a library that is borrowed reads the slots of whoever borrows it', () => {
  const steps = [
    step(1, 'DELEGATECALL', '0x0', '0x0', '0x0', '0x0', LIBRARY, '0xffff'),
    step(2, 'SLOAD', '0x1'),
    step(1, 'SLOAD', '0x2'),
  ]
  expect(accessListOf(steps, FROM, TO)).toEqual([
    { address: LIBRARY, storageKeys: [] },
    { address: TO, storageKeys: [slot(1), slot(2)] },
  ])
})

test('a contract that is made by another is where its maker finds it', () => {
  const steps = [
    step(1, 'CREATE', '0x0', '0x0', '0x0'),
    step(2, 'SSTORE', '0x1', '0x9'),
    step(1, 'POP', MADE),
  ]
  expect(accessListOf(steps, FROM, TO)).toEqual([{ address: MADE, storageKeys: [slot(9)] }])
})

test('precompiled contracts, the sender and the receiver are known anyway', () => {
  const steps = [1, 0x11, 0x100, 0x500, 0x600, 0x12].map((number) =>
    step(1, 'BALANCE', `0x${number.toString(16)}`),
  )
  expect(accessListOf(steps, FROM, TO)).toEqual([{ address: address(0x12), storageKeys: [] }])
})

test('an address is the lower part of a word', () => {
  const word = `0x${'f'.repeat(24)}${LIBRARY.slice(2)}`
  expect(accessListOf([step(1, 'EXTCODESIZE', word)], FROM, TO)).toEqual([
    { address: LIBRARY, storageKeys: [] },
  ])
})
