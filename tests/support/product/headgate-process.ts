import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Subprocess } from 'bun'
import type { FirstRun } from '../../../src/wiring/first-run.ts'
import type { FakeNode } from '../nodes/fake-node.ts'
import { until } from './headgate.ts'
import { dropWorldOf, worldOf } from './world.ts'

/** The keys of a first run; the operator's token is made there unless configured. */
export type FirstKeys = FirstRun & { operator_token: string }

/** One process of the product; of several on one database only one has the first run. */
export type MemberProcess = {
  url: string
  pid: number
  folder: string
  /** Everything it has said so far, on both outputs. */
  said(): string
  signal(name: NodeJS.Signals): void
  /** Its exit code, however it ended. */
  exited: Promise<number>
}

export type HeadgateProcess = MemberProcess & { keys: FirstKeys }

type Options = {
  /** Its working folder; `data` is made in it. */
  folder: string
  args?: readonly string[]
  env?: Record<string, string>
  /** The program itself; by default that of this checkout. */
  main?: string
  /** Another command that starts it, such as the executable. */
  command?: readonly string[]
  /** By `npm start`, as the manual says, instead of by the runtime itself. */
  viaNpm?: boolean
  /** Its limit of open files, as `ulimit -n` sets it; needs bash. */
  openFilesMax?: number
  /** Called when it runs, before it is ready; `said` gives its output so far. */
  whileStarting?: (pid: number, said: () => string) => Promise<void>
  /** How long it may take, where many start at the same time or its database may be away. */
  startMsMax?: number
}

export type Ended = { exitCode: number; stdout: string; stderr: string }

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MAIN = join(ROOT, 'src', 'main.ts')

const children = new Set<Subprocess>()
const folders = new Set<string>()

/** An empty folder that is gone after `cleanUp`. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-process-'))
  folders.add(folder)
  return folder
}

/** Writes a configuration file into the folder and returns its path. */
export function writeConfig(folder: string, text: string): string {
  const file = join(folder, 'headgate.yaml')
  writeFileSync(file, text)
  return file
}

/** A file with one network on these nodes, whose addresses carry a password. */
export function configText(nodes: readonly FakeNode[], more = ''): string {
  const upstreams = nodes.map(({ name, url }) => `      - { name: ${name}, url: "${secret(url)}" }`)
  return `listen: 127.0.0.1:0
networks:
  - id: ETH_MAINNET
    kind: evm
    chainId: 1
    blockTimeMs: 1000
    headPollMs: 100
    upstreams:
${upstreams.join('\n')}
    verify: off
${more}`
}

/** Parts of an upstream's address that no log may hold. */
export const UPSTREAM_SECRETS = ['upstream-user', 'upstream-password', 'secret-path-of-']

function secret(url: string): string {
  return url.replace('http://', 'http://upstream-user:upstream-password@')
}

/** Starts the product and waits until it is ready for traffic. */
export async function startProcess(options: Options): Promise<HeadgateProcess> {
  const started = await startMember(options)
  const keys = keysIn(options.folder)
  if (!keys) throw new Error('it had no first run')
  return { ...started, keys }
}

/** The keys that the first run left in a folder; null where another process had it. */
export function keysIn(folder: string): FirstKeys | null {
  const file = join(folder, 'data', 'first-run.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}

/** Starts the product as one of several processes, and waits until it is ready for traffic. */
export async function startMember(options: Options): Promise<MemberProcess> {
  const child = await spawn(options)
  let text = ''
  const collect = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) text += decoder.decode(chunk, { stream: true })
  }
  const read = Promise.all([collect(child.stdout), collect(child.stderr)])
  const exited = child.exited.then(async (code) => {
    await read
    return code
  })

  await options.whileStarting?.(child.pid, () => text)
  const urlSaid = () => /Headgate is up at (\S+)/.exec(text)?.[1]
  await until(
    () => {
      const end = child.exitCode ?? child.signalCode
      if (end !== null) throw new Error(`it ended with ${end}: ${text}`)
      return urlSaid() !== undefined
    },
    'the process says where it is',
    options.startMsMax,
  )
  const url = urlSaid() ?? ''
  const isReady = async () => (await fetch(`${url}/readyz`)).ok
  await until(isReady, 'the process is ready', options.startMsMax)
  return {
    url,
    pid: child.pid,
    folder: options.folder,
    said: () => text,
    signal: (name) => void process.kill(child.pid, name),
    exited,
  }
}

/** Runs the product to its end, as with `check`. */
export async function runToEnd(options: Options): Promise<Ended> {
  const child = await spawn(options)
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exitCode, stdout, stderr }
}

/** Ends what was started here and removes what it wrote; belongs into `afterEach`. */
export async function cleanUp(): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL')
    await child.exited
  }
  children.clear()
  for (const folder of folders) {
    rmSync(folder, { recursive: true, force: true })
    await dropWorldOf(folder)
  }
  folders.clear()
}

async function spawn({
  folder,
  args = [],
  env = {},
  viaNpm = false,
  main = MAIN,
  command: program = [process.execPath, main],
  openFilesMax,
}: Options) {
  const limited = ['bash', '-c', `ulimit -n ${openFilesMax}; exec "$0" "$@"`]
  const command = [
    ...(openFilesMax === undefined ? [] : limited),
    ...(viaNpm ? ['npm', 'start', '--'] : program),
  ]
  const child = Bun.spawn([...command, ...args], {
    cwd: viaNpm ? ROOT : folder,
    env: {
      ...environment(),
      ...(await worldOf(folder)),
      ...(viaNpm ? { HEADGATE_DATA: join(folder, 'data') } : {}),
      ...env,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  children.add(child)
  return child
}

/** Variables of the person who runs the tests must not reach the product. */
export function environment(): Record<string, string | undefined> {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('HEADGATE_'))
  return {
    ...Object.fromEntries(kept),
    BUN_CONFIG_MAX_HTTP_REQUESTS: '16384',
    // Whatever the machine has: those who want several say so.
    HEADGATE_GATEWAY_WORKERS: '1',
    HEADGATE_DEVNET_UPSTREAMS: '1',
    HEADGATE_DEVNET_TRANSACTIONS_PER_BLOCK: '0',
    // A ledger without a life of its own: those who want one say so.
    HEADGATE_DEVNET_TOKEN_ACCOUNTS: '0',
    HEADGATE_DEVNET_CHANGES_PER_SLOT: '0',
  }
}
