import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The state of a socket that listens, in the tables of Linux. */
const LISTENS = '0A'

const PORT_COLUMN = 1
const STATE_COLUMN = 3
const INODE_COLUMN = 9

/** The program that listens at a port of this machine, where the system tells; else null. */
export function portHolder(port: number): string | null {
  const inodes = new Set([...inodesIn('tcp', port), ...inodesIn('tcp6', port)])
  if (inodes.size === 0) return null
  const pid = listed('/proc').find((name) => /^\d+$/.test(name) && hasSocket(name, inodes))
  if (pid === undefined) return null
  // The name alone: the words after it may hold a password. The runtime is an .exe on Linux, too.
  const name = textOf(`/proc/${pid}/comm`)
    .trim()
    .replace(/\.exe$/, '')
  return `${name} (process ${pid})`
}

function inodesIn(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return textOf(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((row) => row[PORT_COLUMN]?.endsWith(suffix) && row[STATE_COLUMN] === LISTENS)
    .map((row) => row[INODE_COLUMN] ?? '')
}

function hasSocket(pid: string, inodes: ReadonlySet<string>): boolean {
  return listed(`/proc/${pid}/fd`).some((fd) => {
    const target = orNothing(() => readlinkSync(`/proc/${pid}/fd/${fd}`), '')
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1]
    return inode !== undefined && inodes.has(inode)
  })
}

/** Other users' processes and systems without these files show nothing. */
function orNothing<T>(read: () => T, nothing: T): T {
  try {
    return read()
  } catch {
    return nothing
  }
}

function listed(folder: string): string[] {
  return orNothing(() => readdirSync(folder), [])
}

function textOf(file: string): string {
  return orNothing(() => readFileSync(file, 'utf8'), '')
}
