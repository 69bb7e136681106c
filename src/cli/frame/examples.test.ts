import { expect, test } from 'bun:test'
import type { Command } from 'commander'
import { headgateProgram } from '../program.ts'
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

test('the help of every command fits 80 columns', async () => {
  for (const command of withCommandsBelow(await headgateProgram())) {
    const help = command.helpInformation()
    const wide = help.split('\n').filter((line) => line.length > 80)
    expect(wide).toEqual([])
  }
})

function withCommandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(withCommandsBelow)]
}
