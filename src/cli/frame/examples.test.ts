import { expect, test } from 'bun:test'
import { exampleLines } from './examples.ts'

test('examples stand beside their purpose where the terminal has room', () => {
  const lines = exampleLines([
    ['headgate start', 'run it'],
    ['headgate check --json', 'for scripts'],
  ])
  expect(lines).toEqual(['  headgate start         run it', '  headgate check --json  for scripts'])
})

test('examples stand below their purpose where one of them is long', () => {
  const long = `headgate check --config ${'x'.repeat(60)}`
  expect(
    exampleLines([
      [long, 'a long name'],
      ['headgate', 'run it'],
    ]),
  ).toEqual(['  # a long name', `  ${long}`, '  # run it', '  headgate'])
})
