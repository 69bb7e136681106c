import { closestName } from '../core/closest-name.ts'

export type CommandLine = { configFile?: string; check: boolean; help: boolean }

export const HELP_TEXT = `Usage: npm start -- [options]
       headgate [options]

  --config FILE  read this configuration file; HEADGATE_CONFIG does the same
  --check        check the configuration, then exit
  --help         show this text

Without a configuration file the service starts in local development.
Every option of the file has an environment variable, which wins over the file:
webhooks.timeoutMs is HEADGATE_WEBHOOKS_TIMEOUT_MS. See headgate.example.yaml.`

const FLAGS = ['--config', '--check', '--help']

/** Reads the words after the program's name; a sentence when they make no sense. */
export function readCommandLine(argv: readonly string[]): CommandLine | string {
  const line: CommandLine = { check: false, help: false }
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!
    if (word === '--check') {
      line.check = true
      continue
    }
    if (word === '--help' || word === '-h') {
      line.help = true
      continue
    }
    if (word !== '--config' && !word.startsWith('--config=')) return unknownWords(word)
    const file = word === '--config' ? argv[++at] : word.slice('--config='.length)
    // The next flag is not the name of a file: the name was forgotten.
    if (!file || (word === '--config' && file.startsWith('--'))) return '--config needs a file'
    if (line.configFile !== undefined) return '--config is given twice'
    line.configFile = file
  }
  return line
}

function unknownWords(word: string): string {
  if (!word.startsWith('-')) return `${word} is not an option; a file is given with --config`
  const meant = closestName(word, FLAGS)
  return meant
    ? `${word} is not an option; did you mean ${meant}?`
    : `${word} is not an option; --help lists them`
}
