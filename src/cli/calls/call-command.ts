import { type Command, Help, InvalidArgumentError } from 'commander'
import { type ConnectionOptions, withConnection } from '../connect/connection.ts'
import { type Calling, runCall } from '../connect/run-call.ts'
import { examples } from '../frame/examples.ts'

type GroupWords = {
  more?: string
  /** Lines that work when pasted, below `headgate`. */
  examples: readonly (readonly [line: string, purpose: string])[]
}

export type CommandWords = GroupWords & {
  /** One line of the group's help. */
  does: string
}

const CONNECTION = 'Connection and output:'

export function callCommand(group: Command, name: string, words: CommandWords): Command {
  return connected(group.command(name).summary(words.does), words)
}

/** Gives a command that has its summary the rest of its help, and the options of a connection. */
export function connected(command: Command, words: GroupWords): Command {
  withConnection(told(command, words).optionsGroup(CONNECTION))
  return command.optionsGroup('Options:')
}

/** Gives a command or a group that has its summary the rest of its help. */
export function told(command: Command, { more, examples: list }: GroupWords): Command {
  const does = command.summary()
  const lines = list.map(([line, purpose]) => [`headgate ${line}`, purpose] as const)
  command
    .description(more === undefined ? does : `${does}\n\n${more}`)
    .configureHelp({ ...command.configureHelp(), groupItems: connectionLast })
  return examples(command, lines)
}

/** The action of a command: its arguments and its options come after the connection. */
export function asking<Words extends unknown[]>(
  work: (calling: Calling, ...words: Words) => Promise<void>,
) {
  return (...given: unknown[]): Promise<void> => {
    // The last one is the command itself.
    const words = given.slice(0, -1) as Words
    return runCall(words.at(-1) as ConnectionOptions, (calling) => work(calling, ...words))
  }
}

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= least && value <= most) return value
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
    throw new InvalidArgumentError(`It takes a whole number ${range}.`)
  }
}

export function onOrOff(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on'
  throw new InvalidArgumentError('It takes on or off.')
}

/** Collects an option that may be repeated, or hold several values separated by commas. */
export function several(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())].filter((part) => part !== '')
}

/** The command's own options come first: they are the reason to read its help. */
const connectionLast: Help['groupItems'] = (items, visible, groupOf) => {
  const groups = Help.prototype.groupItems(items, visible, groupOf)
  const connection = groups.get(CONNECTION)
  if (connection && groups.delete(CONNECTION)) groups.set(CONNECTION, connection)
  return groups
}
