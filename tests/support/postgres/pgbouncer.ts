import { test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRoot, type KeptServer, NOBODY, startOnFreePort } from '../basics/kept-server.ts'

/** A real PgBouncer of our own, which lends a connection to each transaction. */
export type PgBouncer = KeptServer & {
  port: number
  /** The same database as at that address, through the pooler. */
  urlOf(direct: string): string
}

/** Debian keeps it apart from the commands of users. */
const FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/local/sbin']

const command = Bun.which('pgbouncer', { PATH: [process.env.PATH, ...FOLDERS].join(':') })

/** Set by a run that has tried to fetch the program and could not, which it says. */
const isSaidToBeAbsent = process.env.HEADGATE_TEST_PGBOUNCER === 'absent'

/** True where there is no program to test with. On CI that is a failure, unless it was said. */
export const isPgBouncerMissing = command === null && (isSaidToBeAbsent || !process.env.CI)

const MISSING = 'pgbouncer is neither in PATH nor in /usr/sbin'

/** Fewer than the clients have, so that transactions of all take turns on each. */
const SERVER_CONNECTIONS = 4

/** Stands where the tests of a file would, and says why they do not run. */
export function sayPgBouncerIsMissing(): void {
  console.warn(`Tests through PgBouncer are skipped: ${MISSING}.`)
  test.skip(`needs a pooler: ${MISSING}`, () => {})
}

/** Starts a pooler on a port of its own, before the server on that port. */
export async function startPgBouncer(serverPort: number): Promise<PgBouncer> {
  if (command === null) throw new Error(MISSING)
  const folder = mkdtempSync(join(tmpdir(), 'headgate-pgbouncer-'))
  const config = join(folder, 'pgbouncer.ini')
  const version = spawnSync(command, ['--version'], { encoding: 'utf8' })
  if (version.status !== 0) throw new Error(`pgbouncer: ${version.stderr}`)

  const server = await startOnFreePort((port) => {
    writeFileSync(config, configText(port, serverPort, version.stdout))
    if (isRoot) for (const path of [folder, config]) chownSync(path, NOBODY, NOBODY)
    return { folder, ready: 'process up', command, options: [config] }
  })
  return {
    ...server,
    urlOf(direct) {
      const url = new URL(direct)
      url.port = String(server.port)
      return url.href
    },
  }
}

function configText(port: number, serverPort: number, version: string): string {
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(version) ?? []
  const knowsPrepared = Number(major) > 1 || Number(minor) >= 21
  return [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${SERVER_CONNECTIONS}`,
    'max_client_conn = 500',
    // From 1.21 on it can keep what clients prepare, which must not be needed.
    ...(knowsPrepared ? ['max_prepared_statements = 0'] : []),
  ].join('\n')
}
