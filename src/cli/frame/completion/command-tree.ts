import type { Command, Option } from 'commander'

export type CompletedWord = { word: string; description: string }

type CompletedValue = { flag: string; choices: readonly string[]; isFile: boolean }

/** A place in the command line: the program itself, or one of its commands. */
export type CompletedPlace = {
  /** The names that lead here, each with a space before it: ` webhook create`. */
  path: string
  commands: CompletedWord[]
  options: (CompletedWord & { value: CompletedValue | null })[]
}

/** The names of values that are paths. */
const FILE_VALUES = /<(?:file|folder|place|path)>/

/** Every place of the program, itself first. */
export function commandTree(program: Command): CompletedPlace[] {
  // Without a command, the options are those of the one that runs then.
  const start = program.commands.find((command) => command.name() === 'start')
  const places = placesUnder(program, '', program)
  const [root, ...others] = places
  if (root === undefined || start === undefined) return places
  return [{ ...root, options: optionsOf(start, program) }, ...others]
}

function placesUnder(command: Command, path: string, program: Command): CompletedPlace[] {
  const visible = command.createHelp().visibleCommands(command)
  const children = command.commands.filter((child) => visible.includes(child))
  const choices = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, description })),
  )
  const place = {
    path,
    commands: [
      ...visible.map((child) => ({ word: child.name(), description: child.description() })),
      ...choices,
    ],
    options: optionsOf(command, program),
  }
  const below = children.flatMap((child) => placesUnder(child, `${path} ${child.name()}`, program))
  return [place, ...below]
}

function optionsOf(command: Command, program: Command): CompletedPlace['options'] {
  const own = command.createHelp().visibleOptions(command)
  const shared = program.options.filter((option) => !own.includes(option))
  return [...own, ...shared].flatMap((option) => {
    const { long, description } = option
    return long ? [{ word: long, description, value: valueOfOption(option, long) }] : []
  })
}

function valueOfOption({ flags, required, argChoices = [] }: Option, flag: string) {
  if (!required) return null
  return { flag, choices: argChoices, isFile: FILE_VALUES.test(flags) }
}
