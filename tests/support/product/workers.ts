import { existsSync, readFileSync } from 'node:fs'
import { until } from './headgate.ts'

/** The pids of a process's children that run a gateway worker. */
export function workerPids(mainPid: number): number[] {
  const file = `/proc/${mainPid}/task/${mainPid}/children`
  const children = readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number)
  return children.filter((pid) => commandOf(pid).includes('worker-process.ts')).sort()
}

/** The process is gone, or only its parent has not taken notice yet. */
export function hasEnded(pid: number): boolean {
  return !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(statusOf(pid))
}

/** Ends a process that a test looked up, the hard way. */
export async function killHard(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await until(() => hasEnded(pid), `${pid} has ended`)
}

type Asked = { url: string; key: string; slug?: string }

/** One call over a connection of its own, so that any worker may get it. */
export async function callAnywhere(
  { url, key, slug = 'eth-mainnet' }: Asked,
  method: string,
  params: readonly unknown[] = [],
) {
  const response = await fetch(`${url}/${slug}/v2/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    keepalive: false,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const id = response.headers.get('x-request-id') ?? ''
  return {
    status: response.status,
    // Its last letters count the requests of one process.
    worker: id.slice(0, 'req_'.length + 8),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    json: (await response.json()) as any,
  }
}

/** Calls until so many workers have answered; what each of them answered last. */
export async function callEveryWorker(
  asked: Asked,
  workers: number,
  method: string,
  params: readonly unknown[] = [],
) {
  const answers = new Map<string, Awaited<ReturnType<typeof callAnywhere>>>()
  await until(async () => {
    const answer = await callAnywhere(asked, method, params)
    answers.set(answer.worker, answer)
    return answers.size >= workers
  }, `${workers} workers answer`)
  return [...answers.values()]
}

/** A counter or gauge of a process, summed over its labels. */
export async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const values = text.split('\n').filter((line) => line.match(`^${name}[ {]`))
  return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return 'State:\tZ'
  }
}
