import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'

type Wanted = {
  listen: { host: string; port: number }
  data: string
  database?: string | undefined
}

/** The codes of a system that refuses a file or a folder. */
const FILE_CODES = /^E(?:ACCES|PERM|ROFS|EXIST|NOTDIR|ISDIR|NOSPC|DQUOT|IO|NAMETOOLONG|LOOP)$/

/** The reason why the service cannot start, for its operator; null for a bug of ours. */
export function startFailure(thrown: unknown, wanted: Wanted): string | null {
  if (!(thrown instanceof Error)) return null
  const code = 'code' in thrown ? String(thrown.code) : ''
  if (thrown instanceof Failure) return failureText(thrown, wanted)
  if ('syscall' in thrown && thrown.syscall === 'listen') return listenText(code, wanted)
  if (!FILE_CODES.test(code)) return null
  return `The data folder ${wanted.data} cannot be used (${code}): it must be a folder that this user can write to.`
}

function listenText(code: string, { listen: { host, port } }: Wanted): string {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  if (code === 'EADDRINUSE') {
    return `${address} is in use. Stop the program that has it, or choose another address with listen or HEADGATE_LISTEN.`
  }
  return `Cannot listen on ${address} (${code}). Choose an address of this machine with listen or HEADGATE_LISTEN.`
}

function failureText({ code, facts }: Failure, { data, database }: Wanted): string | null {
  if (code === 'database_unavailable' && database !== undefined) {
    // Nothing but the host: the rest of the address may hold a password.
    const said = `The PostgreSQL server at ${URL.parse(database)?.host} cannot be used (${facts.code}).`
    const isPooler = facts.code === 'UNSUPPORTED_STARTUP_PARAMETER'
    return isPooler ? `${said} For a transaction pooler, set postgres.transactionPooler.` : said
  }
  if (code === 'database_unavailable') {
    return `The store ${join(data, 'headgate.sqlite')} cannot be used (${facts.code}).`
  }
  if (code !== 'start_failed') return null
  if (facts.notInstalled !== undefined) {
    return `Local development needs ${facts.notInstalled}, which a production installation leaves out. Install it with npm, or name your own networks in a configuration file (--config).`
  }
  const said = Object.entries(facts).map(([name, value]) => `${name}: ${value}`)
  return `Headgate cannot start. ${said.join(', ')}`
}
