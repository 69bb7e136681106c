import { test } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Certificate } from '../basics/certificates.ts'

/** A real NATS server of our own. */
export type NatsTestServer = {
  port: number
  /** Where other servers of its cluster find it. */
  routePort: number | undefined
  /** `SIGTERM` ends it in order, `SIGKILL` without its knowing. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** Again, on the same ports. */
  start(): Promise<void>
  /** The process stands still: connections stay, and nothing is answered. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  close(): Promise<void>
}

type ServerOptions = {
  /** Lines of its configuration file. */
  config?: readonly string[]
  tls?: Certificate
  /** One of a cluster, together with the server that has this route port, if there is one. */
  cluster?: { routePort: number | undefined }
}

/** Debian keeps it apart from the commands of users. */
const FOLDERS = ['/usr/local/bin', '/usr/sbin', '/usr/local/sbin']

const command = Bun.which('nats-server', { PATH: [process.env.PATH, ...FOLDERS].join(':') })

/** Set by a run that has tried to fetch the server and could not, which it says. */
const isSaidToBeAbsent = process.env.HEADGATE_TEST_NATS === 'absent'

/** True where there is no server to test with. On CI that is a failure, unless it was said. */
export const isNatsMissing = command === null && (isSaidToBeAbsent || !process.env.CI)

const MISSING = 'nats-server is neither in PATH nor in /usr/sbin'

/** Stands where the tests of a file would, and says why they do not run. */
export function sayNatsIsMissing(): void {
  console.warn(`Tests of signals over NATS are skipped: ${MISSING}.`)
  test.skip(`needs a server: ${MISSING}`, () => {})
}

/** Starts a server on a port of its own. */
export async function startNatsServer(options: ServerOptions = {}): Promise<NatsTestServer> {
  if (command === null) throw new Error(MISSING)
  const folder = mkdtempSync(join(tmpdir(), 'headgate-nats-'))
  const configFile = join(folder, 'server.conf')
  if (options.tls) {
    writeFileSync(join(folder, 'cert.pem'), options.tls.cert)
    writeFileSync(join(folder, 'key.pem'), options.tls.key)
  }
  const write = (ports: Ports) => writeFileSync(configFile, configText(options, folder, ports))
  write({ client: -1, route: -1 })
  const supervisor = startSupervisor([
    command,
    configFile,
    folder,
    options.cluster ? 'routed' : 'alone',
  ])
  const start = async (): Promise<Ports> => {
    const said = await supervisor.ask('start')
    if (!said.startsWith('ready ')) throw new Error(said)
    return JSON.parse(said.slice('ready '.length))
  }
  const ports = await start()
  write(ports)
  return {
    port: ports.client,
    routePort: ports.route,
    stop: async (signal) => void (await supervisor.ask(signal)),
    start: async () => void (await start()),
    freeze: async () => void (await supervisor.ask('SIGSTOP')),
    thaw: async () => void (await supervisor.ask('SIGCONT')),
    close: supervisor.end,
  }
}

type Ports = { client: number; route?: number }

function configText({ config = [], tls, cluster }: ServerOptions, folder: string, ports: Ports) {
  const path = (file: string) => JSON.stringify(join(folder, file))
  const known = cluster?.routePort
  const routes = known === undefined ? '' : `routes: ["nats-route://127.0.0.1:${known}"]`
  return [
    `listen: "127.0.0.1:${ports.client}"`,
    ...(tls ? [`tls { cert_file: ${path('cert.pem')}, key_file: ${path('key.pem')} }`] : []),
    ...(cluster ? [`cluster { name: c, listen: "127.0.0.1:${ports.route}", ${routes} }`] : []),
    ...config,
  ].join('\n')
}

function startSupervisor(args: readonly string[]) {
  const script = join(import.meta.dir, 'nats-supervisor.ts')
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.unref()
  return {
    async ask(line: string): Promise<string> {
      child.stdin.write(`${line}\n`)
      return String((await lines.next()).value)
    },
    async end(): Promise<void> {
      child.stdin.end()
      await ended
    },
  }
}
