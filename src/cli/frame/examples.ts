import type { Command } from 'commander'

type Example = readonly [line: string, purpose: string]

const WIDTH = 80
const INDENT = '  '
const GAP = '  '

export function examples(command: Command, list: readonly Example[]): Command {
  return command.addHelpText('after', () => `\nExamples:\n${exampleLines(list).join('\n')}`)
}

/** Side by side where all of them fit into a narrow terminal, else each below its purpose. */
export function exampleLines(list: readonly Example[]): string[] {
  const widest = Math.max(...list.map(([line]) => line.length))
  const sideBySide = list.map(([line, purpose]) => {
    return `${INDENT}${line.padEnd(widest)}${GAP}${purpose}`
  })
  if (sideBySide.every((line) => line.length <= WIDTH)) return sideBySide
  return list.flatMap(([line, purpose]) => [`${INDENT}# ${purpose}`, `${INDENT}${line}`])
}
