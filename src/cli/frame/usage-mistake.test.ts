import { expect, test } from 'bun:test'
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import { headgateProgram } from '../program.ts'
import { usageMistake } from './usage-mistake.ts'

const PROGRAM = await headgateProgram()

const ADDRESS = 'postgres://me:hunter2@db.example/headgate'
const MIGRATE_VALUES = 'values are given with --from <folder>, --to <address>, --config <file>'

test.each([
  [['--chekc'], '--chekc is not an option; did you mean --check?'],
  [['--verbose'], '--verbose is not an option; headgate --help lists them'],
  [['--migrate'], '--migrate is not an option; did you mean headgate migrate?'],
  [['stat'], 'stat is not a command; did you mean headgate start?'],
  [['deploy'], 'deploy is not a command; headgate --help lists them'],
  [['deploy', '--fast'], 'deploy is not a command; headgate --help lists them'],
  [['headgate.yaml'], 'headgate.yaml is not a command; a file is given with --config'],
  [['--config', 'a.yaml', 'check'], 'The command comes first: headgate check …'],
  [['check', '--jsn'], '--jsn is not an option of headgate check; did you mean --json?'],
  [['check', '--config'], '--config needs a value'],
  [['migrate', '--form', 'x'], '--form is not an option of headgate migrate; did you mean --from?'],
  [['migrate', './data'], `headgate migrate has words that it does not know; ${MIGRATE_VALUES}`],
  [['completion'], 'headgate completion needs <shell>'],
  [['completion', 'ksh'], 'shell must be one of bash, zsh, fish'],
])('%j', (words, sentence) => {
  expect(mistakeIn(PROGRAM, words)).toBe(sentence)
})

test.each([
  [[ADDRESS]],
  [['--config', 'x', ADDRESS]],
  [['migrate', ADDRESS]],
  [['migrate', '--from', './data', ADDRESS]],
  [['check', ADDRESS]],
  [[`--tto=${ADDRESS}`]],
  [[`--${ADDRESS}`]],
  [['migrate', `--form=${ADDRESS}`]],
  [['completion', ADDRESS]],
  [['completion', `x' is invalid. ${ADDRESS}`]],
  [['x'.repeat(1_000_000)]],
])('a word that may be a secret is not repeated: %#', (words) => {
  const sentence = mistakeIn(PROGRAM, words)
  expect(sentence).not.toContain('hunter2')
  expect(sentence.length).toBeLessThan(200)
  expect(sentence).not.toContain('\n')
})

test('commands of a group are known by their names, and values by their rules', () => {
  const program = new Command('headgate').exitOverride().configureOutput({ outputError() {} })
  const group = program.command('webhook')
  group.command('create').requiredOption('--to <url>', 'the address')
  const list = group.command('list').alias('ls')
  list.addArgument(new Argument('[count]').argParser(wholeNumber))
  list.option('--limit <count>', 'at most', wholeNumber)
  const said = (...words: string[]) => mistakeIn(program, words)
  expect([
    said('webhook', 'creat'),
    said('webhook', 'create'),
    said('webhook', 'ls', '--limit', 'ten'),
    said('webhook', 'list', 'ten'),
  ]).toEqual([
    'creat is not a command of headgate webhook; did you mean headgate webhook create?',
    'headgate webhook create needs --to <url>',
    '--limit: It must be a whole number.',
    'count: It must be a whole number.',
  ])
})

function wholeNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}

function mistakeIn(program: Command, words: readonly string[]): string {
  try {
    program.parse([...words], { from: 'user' })
  } catch (thrown) {
    if (thrown instanceof CommanderError) return usageMistake(program, words, thrown)
    throw thrown
  }
  throw new Error('there was no mistake')
}
