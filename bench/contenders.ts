import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../tests/support/nodes/free-port.ts'
import type { SenderOrder, SenderReport } from './delivery-sender.ts'
import { answers, spawnHeadgate } from './headgate-process.ts'
import type { LoadOrder, LoadReport } from './load-generator.ts'

/** A server that calls can be sent to, as a process of its own. */
export type Contender = { url: string; pid: number; stop(): Promise<void> }

/** The product, and where it tells of its networks. */
export type Gate = Contender & { networksUrl: string; asTeam: RequestInit }

/** Sends deliveries when it is told to, in a process of its own. */
export type DeliverySender = {
  deliver(count: number): Promise<SenderReport>
  stop(): Promise<void>
}

export type Upstream = { name: string; url: string }

const ENV = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '16384' }

/** Linux counts a process's time in hundredths of a second. */
const TICK_S = 0.01
const RSS_LOOK_MS = 20

export function startFastUpstream(): Promise<Contender> {
  return startScript('fast-upstream.ts', '0')
}

/** A node with one big block a time, told by `bench_prepare` and `bench_announce`. */
export function startBlockNode(): Promise<Contender> {
  return startScript('block-node.ts', '0')
}

/** Writes what is posted to it to all of its WebSockets. */
export function startBareSockets(): Promise<Contender> {
  return startScript('bare-sockets.ts', '0')
}

/** Opens WebSocket clients, and tells when they have got something. */
export function startSocketClients(): Promise<Contender> {
  return startScript('socket-clients.ts', '0')
}

export function startBareProxy(upstreamUrl: string): Promise<Contender> {
  return startScript('bare-proxy.ts', upstreamUrl)
}

/** The hanging one and the failing one. */
export async function startBadUpstreams() {
  const child = spawnScript('bad-upstreams.ts')
  const [hanging, failing] = (await nextLine(child)).split(' ')
  return {
    hanging: `http://127.0.0.1:${hanging}/`,
    failing: `http://127.0.0.1:${failing}/`,
    stop: () => end(child),
  }
}

/** Destinations of deliveries: so many that answer at once, and so many that hang. */
export async function startReceivers(healthy: number, hanging: number, how = 'plain') {
  const child = spawnScript('receivers.ts', String(healthy), String(hanging), how)
  const ports = JSON.parse(await nextLine(child)) as { healthy: number[]; hanging: number[] }
  const urlOf = (port: number) => `http://127.0.0.1:${port}/`
  return {
    healthy: ports.healthy.map(urlOf),
    hanging: ports.hanging.map(urlOf),
    stop: () => end(child),
  }
}

export async function startDeliverySender(order: SenderOrder): Promise<DeliverySender> {
  const child = spawnScript('delivery-sender.ts', JSON.stringify(order))
  await nextLine(child)
  return {
    async deliver(count) {
      child.stdin.write(`${count}\n`)
      await child.stdin.flush()
      return JSON.parse(await nextLine(child)) as SenderReport
    },
    async stop() {
      await child.stdin.end()
      await child.exited
    },
  }
}

/** Null where Debian's nginx is not installed. */
export async function startNginx(upstreamUrl: string): Promise<Contender | null> {
  if (!Bun.which('nginx')) return null
  const folder = mkdtempSync(join(tmpdir(), 'headgate-nginx-'))
  const port = freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, nginxConf(folder, port, new URL(upstreamUrl).host))
  const child = Bun.spawn(['nginx', '-c', file, '-e', join(folder, 'error.log')], {
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await answers(`http://127.0.0.1:${port}/`)
  return {
    url: `http://127.0.0.1:${port}/`,
    pid: workerOf(child.pid),
    async stop() {
      child.kill()
      await child.exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * The product as it is started by its users, with keys, limits, meter and request log on: in one
 * process unless told otherwise, whatever the machine has.
 */
export function startHeadgate(
  upstreams: readonly Upstream[],
  { workers = 1, checkout }: { workers?: number; checkout?: string } = {},
): Promise<Contender> {
  const network = { id: 'ETH_MAINNET', kind: 'evm', chainId: 1, verify: 'off', upstreams }
  return startHeadgateOn(network, { HEADGATE_GATEWAY_WORKERS: String(workers) }, checkout)
}

/** The same over one node with accounts, of which those of some programs are indexed. */
export function startAccountGate(
  nodeUrl: string,
  programs: readonly string[],
  pageLimit: number,
): Promise<Gate> {
  const node = { name: 'node', url: nodeUrl, ws: nodeUrl.replace('http', 'ws') }
  return startHeadgateOn(
    { id: 'SOLANA_MAINNET', kind: 'solana', upstreams: [node] },
    {
      HEADGATE_GATEWAY_WORKERS: '1',
      HEADGATE_PROGRAM_ACCOUNTS_INDEX: programs.join(','),
      HEADGATE_PROGRAM_ACCOUNTS_PAGE_LIMIT: String(pageLimit),
    },
  )
}

/** A node that answers eth_getLogs for so many blocks at once, after so long. */
export async function startLogNode(blocksMax: number, answerMs: number): Promise<Contender> {
  const child = spawnScript('log-node.ts', String(blocksMax), String(answerMs))
  const port = await nextLine(child)
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, stop: () => end(child) }
}

/** The product over that node; it keeps no answers, so that every round reads all of them. */
export function startLogGate(nodeUrl: string): Promise<Contender> {
  const upstreams = [{ name: 'node', url: nodeUrl }]
  return startHeadgateOn(
    { id: 'ETH_MAINNET', kind: 'evm', chainId: 1, upstreams },
    { HEADGATE_GATEWAY_WORKERS: '1', HEADGATE_CACHE_MAX_BYTES: '0' },
  )
}

/** A node that holds so many accounts of each of its programs. */
export async function startAccountNode(counts: readonly number[]): Promise<Contender> {
  const child = spawnScript('account-node.ts', ...counts.map(String))
  const port = await nextLine(child)
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, stop: () => end(child) }
}

/** Answers any request with as many bytes from memory as its path says. */
export function startByteServer(): Promise<Contender> {
  return startScript('byte-server.ts', '0')
}

async function startHeadgateOn(
  network: { id: string; [member: string]: unknown },
  env: Record<string, string> = {},
  checkout?: string,
): Promise<Gate> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
  const order = { folder, networks: [network], env }
  const headgate = await spawnHeadgate(checkout === undefined ? order : { ...order, checkout })
  const { url, pid } = headgate
  await headgate.ready()
  const slug = network.id.toLowerCase().replaceAll('_', '-')
  const { app_key, team_token } = headgate.firstRun()
  return {
    networksUrl: `${url}/api/networks`,
    asTeam: { headers: { 'x-service-token': team_token } },
    url: `${url}/${slug}/v2/${app_key}`,
    pid,
    async stop() {
      await headgate.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Seconds of processor time that a process and its children have used, all threads together. */
export function cpuSeconds(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, one) => sum + ownCpuSeconds(one), 0)
}

function ownCpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_S
}

export function rssBytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Number(line?.[1] ?? 0) * 1024
}

/** The most memory it has had until the watch is stopped. */
export function watchRss(pid: number): { stop(): number } {
  let highest = rssBytes(pid)
  const timer = setInterval(() => {
    highest = Math.max(highest, rssBytes(pid))
  }, RSS_LOOK_MS)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(highest, rssBytes(pid))
    },
  }
}

/** Runs the load generator in a process of its own. */
export async function load(order: LoadOrder): Promise<LoadReport> {
  const script = join(import.meta.dir, 'load-generator.ts')
  const child = Bun.spawn([process.execPath, script, JSON.stringify(order)], { stdout: 'pipe' })
  return JSON.parse(await new Response(child.stdout).text()) as LoadReport
}

async function startScript(name: string, argument: string): Promise<Contender> {
  const child = spawnScript(name, argument)
  const port = await nextLine(child)
  return { url: `http://127.0.0.1:${port}/`, pid: child.pid, stop: () => end(child) }
}

function spawnScript(name: string, ...args: string[]) {
  return Bun.spawn([process.execPath, join(import.meta.dir, name), ...args], {
    env: ENV,
    stdin: 'pipe',
    stdout: 'pipe',
  })
}

type Script = ReturnType<typeof spawnScript>

/** The next line, of which nothing else is on its way. */
async function nextLine(child: Script): Promise<string> {
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  return new TextDecoder().decode(value).trim()
}

async function end(child: Script): Promise<void> {
  child.kill()
  await child.exited
}

function workerOf(masterPid: number): number {
  return childrenOf(masterPid)[0] ?? 0
}

function childrenOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return children.trim().split(' ').filter(Boolean).map(Number)
}

function nginxConf(folder: string, port: number, upstream: string): string {
  return `worker_processes 1; daemon off; pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off; client_body_buffer_size 64k;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream node { server ${upstream}; keepalive 128; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://node; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`
}
