import { join } from 'node:path'
import { Failure } from '../../core/errors.ts'
import { postgresHosts } from '../../core/servers/postgres-servers.ts'

type Wanted = {
  listen: { host: string; port: number }
  data: string
  database?: string | undefined
  /** Local development can be started anew. */
  local?: boolean
}

/** The machine as far as it can be seen, to say who is in the way. */
type Seen = {
  /** The program that listens at a port, such as `node (process 12)`. */
  holderOf(port: number): string | null
  urlIn(folder: string): string | null
}

const NOTHING_SEEN: Seen = { holderOf: () => null, urlIn: () => null }

/** The codes of a system or of SQLite that refuse a file or a folder. */
const FILE_CODES =
  /^(?:E(?:ACCES|PERM|ROFS|EXIST|NOTDIR|ISDIR|NOSPC|DQUOT|IO|NAMETOOLONG|LOOP)|SQLITE_(?:CANTOPEN|READONLY|PERM|IOERR)\w*)$/
const NO_SPACE = /^(?:ENOSPC|EDQUOT|SQLITE_FULL)$/
const DAMAGED = /^SQLITE_(?:NOTADB|CORRUPT)/

const PORT_MAX = 65_535

/** The reason why the service cannot start, for its operator; null for a bug of ours. */
export function startFailure(thrown: unknown, wanted: Wanted, seen = NOTHING_SEEN): string | null {
  if (!(thrown instanceof Error)) return null
  const code = 'code' in thrown ? String(thrown.code) : ''
  if (thrown instanceof Failure) return failureText(thrown, wanted, seen)
  if ('syscall' in thrown && thrown.syscall === 'listen') return listenText(code, wanted, seen)
  return FILE_CODES.test(code) ? folderText(code, wanted) : null
}

function listenText(code: string, { listen: { host, port } }: Wanted, { holderOf }: Seen): string {
  const at = (number: number) => `${host.includes(':') ? `[${host}]` : host}:${number}`
  if (code === 'EADDRINUSE') {
    const holder = holderOf(port)
    const by = holder === null ? '' : ` by ${holder}`
    const other = at(port < PORT_MAX ? port + 1 : port - 1)
    return `${at(port)} is in use${by}. Stop the program that has it, or choose another address with listen or HEADGATE_LISTEN, such as HEADGATE_LISTEN=${other}.`
  }
  const hint =
    code === 'EACCES'
      ? 'Ports below 1024 are for root alone: choose a higher one'
      : 'Choose an address of this machine'
  return `Cannot listen on ${at(port)} (${code}). ${hint} with listen or HEADGATE_LISTEN.`
}

function folderText(code: string, { data }: Wanted): string {
  if (NO_SPACE.test(code)) return noSpaceText(data)
  return `The data folder ${data} cannot be used (${code}): it must be a folder that this user can write to. Choose another with data or HEADGATE_DATA.`
}

function noSpaceText(data: string): string {
  return `There is no room on the disk of the data folder ${data}. Make some, or choose another folder with data or HEADGATE_DATA.`
}

function failureText({ code, facts }: Failure, wanted: Wanted, seen: Seen): string | null {
  if (code === 'database_unavailable') return storeText(String(facts.code), wanted)
  if (code !== 'start_failed') return null
  const { notInstalled, usedBy, folderCode, databaseVersion, reason } = facts
  if (notInstalled !== undefined) return notInstalledText(String(notInstalled))
  if (usedBy !== undefined) return inUseText(Number(usedBy), wanted, seen)
  if (folderCode !== undefined) return folderText(String(folderCode), wanted)
  if (databaseVersion !== undefined) {
    return `The store was written by a newer version of Headgate: its tables have version ${databaseVersion}, and this program knows those up to ${facts.codeVersion}. Start the newer version, or put back the backup from before it.`
  }
  if (facts.part === 'development chain') {
    return `A development chain did not start: its process ended with ${facts.exitCode}. The lines above say why.`
  }
  const said = Object.entries(facts).flatMap(([name, value]) =>
    name === 'reason' ? [] : [`${name}: ${value}`],
  )
  const more = said.length === 0 ? '' : ` (${said.join(', ')})`
  return `Headgate cannot start: ${reason ?? 'it was refused'}${more}.`
}

function storeText(code: string, wanted: Wanted): string {
  const { data, database, local = false } = wanted
  if (database !== undefined) {
    // Nothing but the host: the rest of the address may hold a password.
    const said = `The PostgreSQL server at ${postgresHosts(database)} cannot be used (${code}).`
    const isPooler = code === 'UNSUPPORTED_STARTUP_PARAMETER'
    return isPooler ? `${said} For a transaction pooler, set postgres.transactionPooler.` : said
  }
  if (NO_SPACE.test(code)) return noSpaceText(data)
  const said = `The store ${join(data, 'headgate.sqlite')} cannot be used (${code})`
  if (!DAMAGED.test(code)) return `${said}.`
  const anew = local ? ', start anew with --fresh' : ''
  return `${said}: it is damaged, or is none. Put it back from a backup${anew}, or choose another folder with data or HEADGATE_DATA.`
}

function inUseText(pid: number, { data }: Wanted, { urlIn }: Seen): string {
  const url = urlIn(data)
  const who = [pid > 0 ? [`process ${pid}`] : [], url === null ? [] : [`at ${url}`]].flat()
  const shown = who.length === 0 ? '' : ` (${who.join(', ')})`
  const stop = pid > 0 ? `Stop it with kill ${pid}` : 'Stop it'
  return `Another Headgate uses the folder ${data}${shown}. ${stop}, or give this one a folder of its own with data or HEADGATE_DATA.`
}

/** The executable of production is built without the chains, and nothing can be put into it. */
function notInstalledText(name: string): string {
  const own = 'or name your own networks in a configuration file (--config)'
  if (name === 'executable') {
    return `This executable was built for production, without the development chains. Take the one that has them for local development, ${own}.`
  }
  if (name.startsWith('@nomicfoundation/')) {
    return `Local development needs ${name}, which npm leaves out on Node 20. Install it with npm install ${name}, ${own}.`
  }
  return `Local development needs ${name}, which a production installation leaves out. Install it with npm install ${name}, in a checkout with npm ci, ${own}.`
}
