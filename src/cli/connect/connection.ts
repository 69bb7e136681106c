import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readClientEnvironment } from '../../config/process-environment.ts'

export type ConnectionOptions = {
  url?: string
  token?: string
  team?: string
  json?: boolean
}

export type HeadgateConnection = {
  url: string
  token: string
  /** Where the token was found, for a person who has to look for a wrong one. */
  tokenFrom: string
  team?: string
}

/** Some calls are for the operator of the instance alone. */
export type CallerKind = 'team' | 'operator'

type FirstRunFile = {
  url?: string
  team_token?: string
  operator_token?: string
  app_key?: string
}

const FIRST_RUN = 'first-run.json'

export function withConnection(command: Command): Command {
  return command
    .option('--url <url>', 'the address of Headgate; HEADGATE_URL does the same')
    .option(
      '--token <token>',
      'a token; better in HEADGATE_TOKEN, where no list of processes shows it',
    )
    .option('--team <id>', 'the team to act for, with the operator’s token')
    .option('--json', 'print JSON, for scripts')
}

/**
 * The Headgate that the options name, or the environment, or the data folder of one that was
 * started here; a sentence where none of them does.
 */
export function findConnection(
  options: ConnectionOptions,
  caller: CallerKind = 'team',
): HeadgateConnection | string {
  const environment = readClientEnvironment()
  const file = join(environment.data, FIRST_RUN)
  const local = firstRunIn(environment.data)
  const url = options.url ?? environment.url ?? local.url
  const token = tokenOf(options.token, environment.token, local, { file, caller })
  if (url === undefined || token === undefined) {
    return `Which Headgate? Give --url and --token, or HEADGATE_URL and HEADGATE_TOKEN, or run this where ${file} is.`
  }
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    return `${JSON.stringify(url)} is no address of a Headgate, such as http://localhost:8080.`
  }
  const { team } = options
  return { url: url.replace(/\/+$/, ''), ...token, ...(team !== undefined && { team }) }
}

function tokenOf(
  given: string | undefined,
  variable: string | undefined,
  local: FirstRunFile,
  { file, caller }: { file: string; caller: CallerKind },
): Pick<HeadgateConnection, 'token' | 'tokenFrom'> | undefined {
  if (given !== undefined) return { token: given, tokenFrom: '--token' }
  if (variable !== undefined) return { token: variable, tokenFrom: 'HEADGATE_TOKEN' }
  const token = caller === 'operator' ? local.operator_token : local.team_token
  return token === undefined ? undefined : { token, tokenFrom: file }
}

/** The keys of the Headgate that was started on a data folder last; none where it has not been. */
export function firstRunIn(folder: string): FirstRunFile {
  try {
    return JSON.parse(readFileSync(join(folder, FIRST_RUN), 'utf8'))
  } catch {
    return {}
  }
}
