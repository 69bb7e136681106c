import { expect, test } from 'bun:test'
import { HELP_TEXT, readCommandLine } from './command-line.ts'

test.each([
  [[], { check: false, help: false }],
  [['--config', 'a.yaml'], { configFile: 'a.yaml', check: false, help: false }],
  [['--config=a=b.yaml'], { configFile: 'a=b.yaml', check: false, help: false }],
  [['--check', '--config', '-'], { configFile: '-', check: true, help: false }],
  [['--help'], { check: false, help: true }],
  [['-h', '--check'], { check: true, help: true }],
  [['--config'], '--config needs a file'],
  [['--config='], '--config needs a file'],
  [['--config', ''], '--config needs a file'],
  [['--config', '--check'], '--config needs a file'],
  [['--config', 'a', '--config=b'], '--config is given twice'],
  [['--chekc'], '--chekc is not an option; did you mean --check?'],
  [['--verbose'], '--verbose is not an option; --help lists them'],
  [['headgate.yaml'], 'headgate.yaml is not an option; a file is given with --config'],
  [
    ['migrate', '--from', './data', '--to', 'postgres://h/x'],
    { check: false, help: false, migrate: { from: './data', to: 'postgres://h/x' } },
  ],
  [
    ['migrate', '--to=./data', '--config', 'a.yaml', '--help'],
    { configFile: 'a.yaml', check: false, help: true, migrate: { to: './data' } },
  ],
  [['migrate'], { check: false, help: false, migrate: {} }],
  [['migrate', '--from'], '--from needs a folder or a postgres:// address'],
  [['migrate', '--to', '--from', 'x'], '--to needs a folder or a postgres:// address'],
  [['migrate', '--to=a', '--to=b'], '--to is given twice'],
  [['migrate', '--form', 'x'], '--form is not an option; did you mean --from?'],
  [['migrate', '--check'], '--check is not an option; --help lists them'],
  [['migrate', './data'], './data is not an option; a folder is given with --from or --to'],
  [['migrate', 'postgres://u:secret@h/x'], 'an address is given with --from or --to'],
  [['--from', './data'], '--from is not an option; --help lists them'],
  [['--check', 'migrate'], 'migrate is not an option; a file is given with --config'],
])('%j', (argv, line) => {
  expect(readCommandLine(argv)).toEqual(line)
})

test('the help names every option', () => {
  for (const flag of ['--config', '--check', '--help', 'migrate', '--from', '--to'])
    expect(HELP_TEXT).toContain(flag)
})
