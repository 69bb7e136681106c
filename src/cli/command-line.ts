import { closestName } from '../core/closest-name.ts'

export type CommandLine = {
  configFile?: string
  check: boolean
  help: boolean
  /** Given for the command `migrate`: where from and where to, as far as it is said. */
  migrate?: { from?: string; to?: string }
}

export const HELP_TEXT = `Usage: npm start -- [options]
       headgate [options]
       headgate migrate --from PLACE --to PLACE [--config FILE]

  --config FILE  read this configuration file; HEADGATE_CONFIG does the same
  --check        check the configuration, then exit
  --help         show this text

migrate moves a store between a data folder and a PostgreSQL server, compares both
row by row, and goes on where it was when it is run again. Nothing may run on either.
  --from PLACE   a data folder, or a postgres:// address
  --to PLACE     the other of the two, empty; the option \`database\` takes the place
                 of the address that is not given

Without a configuration file the service starts in local development.
Every option of the file has an environment variable, which wins over the file:
webhooks.timeoutMs is HEADGATE_WEBHOOKS_TIMEOUT_MS. See headgate.example.yaml.`

const FLAGS = ['--config', '--check', '--help']
const MIGRATE_FLAGS = ['--from', '--to', '--config', '--help']

const PLACE = 'a folder or a postgres:// address'

/** Reads the words after the program's name; a sentence when they make no sense. */
export function readCommandLine(argv: readonly string[]): CommandLine | string {
  const isMigrate = argv[0] === 'migrate'
  const values = new Map<string, string>()
  const line: CommandLine = { check: false, help: false }
  for (let at = isMigrate ? 1 : 0; at < argv.length; at++) {
    const word = argv[at]!
    if (word === '--check' && !isMigrate) {
      line.check = true
      continue
    }
    if (word === '--help' || word === '-h') {
      line.help = true
      continue
    }
    const [flag = ''] = word.split('=', 1)
    const wanted = wantedBy(flag, isMigrate)
    if (wanted === null) return unknownWords(word, isMigrate)
    const value = word === flag ? argv[++at] : word.slice(flag.length + 1)
    // The next flag is not the value: that was forgotten.
    if (!value || (word === flag && value.startsWith('--'))) return `${flag} needs ${wanted}`
    if (values.has(flag)) return `${flag} is given twice`
    values.set(flag, value)
  }
  const [configFile, from, to] = ['--config', '--from', '--to'].map((flag) => values.get(flag))
  if (configFile !== undefined) line.configFile = configFile
  if (isMigrate) line.migrate = { ...(from && { from }), ...(to && { to }) }
  return line
}

/** The value that comes after a flag; null for a flag without one. */
function wantedBy(flag: string, isMigrate: boolean): string | null {
  if (flag === '--config') return 'a file'
  return isMigrate && (flag === '--from' || flag === '--to') ? PLACE : null
}

function unknownWords(word: string, isMigrate: boolean): string {
  // An address may hold a password.
  if (/^postgres(ql)?:/.test(word)) return 'an address is given with --from or --to'
  if (!word.startsWith('-')) {
    return isMigrate
      ? `${word} is not an option; a folder is given with --from or --to`
      : `${word} is not an option; a file is given with --config`
  }
  const meant = closestName(word, isMigrate ? MIGRATE_FLAGS : FLAGS)
  return meant
    ? `${word} is not an option; did you mean ${meant}?`
    : `${word} is not an option; --help lists them`
}
