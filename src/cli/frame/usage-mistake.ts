import type { Command, CommanderError } from 'commander'
import { closestName } from '../../core/closest-name.ts'

type Found = { command: Command; path: string; isNamed: boolean }

/** Anything else may be a password or hold one, and is not repeated. */
const PLAIN_WORD = /^-{0,2}[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/

export function usageMistake(
  program: Command,
  words: readonly string[],
  { code, message }: CommanderError,
): string {
  const found = commandIn(program, words)
  const said = message.replace(/^error: /, '')
  const [first = '-'] = words
  if (!found.isNamed && !first.startsWith('-')) return unknownWord(program, found, first)
  if (code === 'commander.unknownOption') return unknownOption(program, found, quoted(said))
  if (code === 'commander.unknownCommand') return unknownWord(program, found, quoted(said))
  if (code === 'commander.excessArguments') return tooManyWords(program, found, words)
  if (code === 'commander.missingArgument') return `${found.path} needs <${quoted(said)}>`
  if (code === 'commander.optionMissingArgument') return `${flagOf(quoted(said))} needs a value`
  if (code === 'commander.missingMandatoryOptionValue') return `${found.path} needs ${quoted(said)}`
  if (code === 'commander.invalidArgument') return invalidValue(said)
  return said
}

function commandIn(program: Command, words: readonly string[]): Found {
  let command = program
  const path = [program.name()]
  for (const word of words.filter((one) => !one.startsWith('-'))) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (next === undefined) break
    command = next
    path.push(next.name())
  }
  return { command, path: path.join(' '), isNamed: command !== program }
}

function unknownOption(program: Command, found: Found, option: string): string {
  const [flag = ''] = option.split('=', 1)
  const shown = PLAIN_WORD.test(flag) ? flag : 'That'
  // Without a command the words are those of start.
  const command = found.isNamed ? found.command : startOf(program)
  const known = [...command.options, ...program.options].flatMap(({ short, long }) => [short, long])
  const meant = closestName(flag, ['--help', ...known.filter((one) => one !== undefined)])
  const said = `${shown} is not an option${found.isNamed ? ` of ${found.path}` : ''}`
  if (meant !== undefined) return `${said}; did you mean ${meant}?`
  const hasName = program.commands.some((one) => `--${one.name()}` === flag)
  if (hasName) return `${said}; did you mean headgate ${flag.slice(2)}?`
  return `${said}; ${found.path} --help lists them`
}

function unknownWord(program: Command, { command, path, isNamed }: Found, word: string): string {
  // An address may hold a password.
  if (!PLAIN_WORD.test(word)) return strayWords(isNamed ? command : startOf(program), path)
  if (/\.ya?ml$/.test(word)) return `${word} is not a command; a file is given with --config`
  const said = `${word} is not a command${isNamed ? ` of ${path}` : ''}`
  const known = command.commands.flatMap((one) => [one.name(), ...one.aliases()])
  const meant = closestName(word, known)
  if (meant !== undefined) return `${said}; did you mean ${path} ${meant}?`
  return `${said}; ${path} --help lists them`
}

function tooManyWords(program: Command, found: Found, words: readonly string[]): string {
  if (found.isNamed) return strayWords(found.command, found.path)
  const named = program.commands.find((one) => words.includes(one.name()))
  if (named !== undefined) return `The command comes first: ${found.path} ${named.name()} …`
  return strayWords(startOf(program), found.path)
}

/** A word that stands alone is often the value of an option. */
function strayWords(command: Command, path: string): string {
  const valued = command.options.filter(({ required }) => required).map(({ flags }) => flags)
  const hint = valued.length === 0 ? '' : `; values are given with ${valued.join(', ')}`
  return `${path} has words that it does not know${hint}`
}

/** Says what the value must be; the value itself may be a secret. */
function invalidValue(said: string): string {
  // The value stands before these words, and may hold anything.
  const [before = '', ...after] = said.split(' is invalid')
  const [, argument = flagOf(quoted(before)), rule = ''] =
    /^(?: for argument '(.+?)')?\. ?(.*)$/s.exec(after.at(-1) ?? '') ?? []
  const choices = /^Allowed choices are (.+)\.$/.exec(rule)?.[1]
  if (choices !== undefined) return `${argument} must be one of ${choices}`
  return `${argument}: ${rule === '' ? 'the value is invalid' : rule}`
}

function startOf(program: Command): Command {
  return program.commands.find((one) => one.name() === 'start') ?? program
}

function quoted(text: string): string {
  return /'(.*?)'/s.exec(text)?.[1] ?? ''
}

/** `--config` of `-c, --config <file>`; an argument's name as it is. */
function flagOf(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags
}
