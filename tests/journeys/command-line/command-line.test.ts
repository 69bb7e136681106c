import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { EXIT_CODE_MEANINGS } from '../../../src/cli/exit-codes.ts'
import { headgateProgram } from '../../../src/cli/program.ts'

const MANUAL = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8')

/** The sections of the manual by their headings. */
const SECTIONS = new Map(
  MANUAL.split(/^#{2,4} /m).map((text) => {
    const end = text.indexOf('\n')
    return [text.slice(0, end), text.slice(end)] as const
  }),
)

const SHARED = SECTIONS.get('Options of all commands') ?? ''

const COMMANDS = leavesOf(await headgateProgram(), 'headgate')

describe('docs/command-line.md', () => {
  test.each(COMMANDS)('has a section for %s, with a row for each option', (path, command) => {
    const section = SECTIONS.get(`\`${path}\``)
    expect(section, `## \`${path}\``).toBeDefined()
    const flags = command
      .createHelp()
      .visibleOptions(command)
      .map((option) => option.flags)
    const missing = flags.filter((flag) => !`${section}${SHARED}`.includes(`| \`${flag}\` |`))
    expect(missing).toEqual([])
  })

  test('has no section for a command that does not exist', () => {
    const named = [...SECTIONS.keys()].filter((heading) => heading.startsWith('`headgate '))
    const known = COMMANDS.map(([path]) => `\`${path}\``)
    expect(named.filter((heading) => !known.includes(heading))).toEqual([])
  })

  test('has every exit code', () => {
    for (const [code] of EXIT_CODE_MEANINGS) expect(MANUAL).toContain(`\n| ${code} | `)
  })
})

test.each(COMMANDS)(
  'the help of %s has an example, and fits a narrow terminal',
  (_path, command) => {
    const texts: string[] = []
    const writeOut = (text: string) => void texts.push(text)
    command.configureOutput({ writeOut, getOutHelpWidth: () => 80 })
    command.outputHelp()
    const shown = texts.join('')
    expect(shown).toContain('\nExamples:\n')
    const lines = shown.split('\nExamples:\n')[0]?.split('\n') ?? []
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  },
)

/** The commands that do something, each with its whole name. */
function leavesOf(command: Command, path: string): [path: string, command: Command][] {
  const below = command.commands.filter((one) => one.name() !== 'help')
  if (below.length === 0) return [[path, command]]
  return below.flatMap((one) => leavesOf(one, `${path} ${one.name()}`))
}
