import { type Command, Help, InvalidArgumentError } from 'commander'
import { withConnection } from '../../connect/connection.ts'
import { examples } from '../../frame/examples.ts'

type Words = {
  /** One line of the group's help. */
  does: string
  /** More, where a line is not enough. */
  more?: string
  /** Lines that work when pasted, below `headgate`. */
  examples: readonly (readonly [line: string, purpose: string])[]
}

const CONNECTION = 'Connection and output:'

/** Declares a group of commands: a word with others behind it. */
export function callGroup(program: Command, name: string, words: Words): Command {
  return told(program.command(name), words)
}

/** Declares one command that asks a running Headgate. */
export function callCommand(group: Command, usage: string, words: Words): Command {
  const command = told(group.command(usage), words)
  withConnection(command.optionsGroup(CONNECTION))
  return command.optionsGroup('Options:')
}

/** Reads a whole number of an option or an argument. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`It takes a whole number ${range}.`)
  }
}

/** Reads `on` or `off`. */
export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It takes on or off.')
}

/** Collects an option that may stand several times, or hold several values between commas. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())].filter((part) => part !== '')
}

function told(command: Command, { does, more, examples: list }: Words): Command {
  const lines = list.map(([line, purpose]) => [`headgate ${line}`, purpose] as const)
  command
    .summary(does)
    .description(more === undefined ? does : `${does}\n\n${more}`)
    .configureHelp({ ...command.configureHelp(), groupItems: connectionLast })
  return examples(command, lines)
}

/** The options of the command itself come first: they are why somebody asks. */
const connectionLast: Help['groupItems'] = (items, visible, groupOf) => {
  const groups = Help.prototype.groupItems(items, visible, groupOf)
  const connection = groups.get(CONNECTION)
  if (connection && groups.delete(CONNECTION)) groups.set(CONNECTION, connection)
  return groups
}
