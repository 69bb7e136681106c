import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@headgate/client'
import type { Command } from 'commander'
import { readClientEnvironment } from '../../config/config.ts'

/** The options that every command has which asks a running Headgate. */
export type ConnectionOptions = { url?: string; token?: string; team?: string; json?: boolean }

const FIRST_RUN = 'first-run.json'

/** Gives a command the options of a connection, and `--json`. */
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
 * A client of the Headgate that the options name, or the environment, or the data folder of a
 * Headgate that was started here; a sentence where none of them does.
 */
export async function connect(options: ConnectionOptions): Promise<Client | string> {
  const { createClient } = await import('@headgate/client')
  const environment = readClientEnvironment()
  const local = firstRunIn(environment.data)
  const url = options.url ?? environment.url ?? local?.url
  const token = options.token ?? environment.token ?? local?.team_token
  if (url === undefined || token === undefined) {
    return `Which Headgate? Give --url and --token, or HEADGATE_URL and HEADGATE_TOKEN, or run this where ${join(environment.data, FIRST_RUN)} is.`
  }
  const { team } = options
  return createClient({ url: url.replace(/\/+$/, ''), token, ...(team !== undefined && { team }) })
}

function firstRunIn(folder: string): { url: string; team_token: string } | null {
  try {
    return JSON.parse(readFileSync(join(folder, FIRST_RUN), 'utf8'))
  } catch {
    return null
  }
}
