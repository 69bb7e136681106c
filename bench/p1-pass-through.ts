import { compare, type Effort, type Result, type Sample, target } from './compare.ts'
import {
  type Contender,
  startBareProxy,
  startFastUpstream,
  startHeadgate,
  startNginx,
} from './contenders.ts'
import { measureLoad, measureWrk } from './measure.ts'

/** Half of what a gateway on this runtime reaches, so that queues do not decide. */
const EQUAL_LOAD_SHARE = 0.5

/** Kept open, each with one call under way. */
export const CONNECTIONS = 64

/** P1: a small unique call, passed through with key, limit and meter on. */
export async function passThrough(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const nginx = await startNginx(node.url)
  const bare = await startBareProxy(node.url)
  const headgate = await startHeadgate([{ name: 'node', url: node.url }])
  const contenders = [
    ...(nginx ? [{ name: 'nginx', server: nginx }] : []),
    { name: 'bare proxy', server: bare },
    { name: 'headgate', server: headgate },
  ]
  try {
    const rows = await compare(
      effort,
      contenders.map(({ name, server }) => ({ name, measure: () => full(server, effort) })),
    )
    if (rows.some((row) => row.failed > 0)) throw new Error('some calls failed: no figure counts')
    const speed = (name: string) => rows.find((row) => row.name === name)?.perSecond ?? 0
    const ratePerSecond = Math.round(speed('headgate') * EQUAL_LOAD_SHARE)
    const equal = await compare(effort, [
      { name: 'bare, equal load', measure: () => steady(bare, effort, ratePerSecond) },
      { name: 'headgate, equal load', measure: () => steady(headgate, effort, ratePerSecond) },
    ])
    const [bareP99 = 0, ourP99 = 0] = equal.map((row) => row.p99Ms)
    const targets = [
      target('against the bare proxy', speed('headgate') / speed('bare proxy'), { atLeast: 0.85 }),
      target('p99 at equal load', ourP99 / bareP99, { atMost: 1.5 }),
    ]
    if (nginx) {
      targets.unshift(target('against nginx', speed('headgate') / speed('nginx'), { atLeast: 0.6 }))
    }
    const notes = nginx ? [] : ['nginx is not installed (Debian: nginx-light), so it is left out']
    if (!Bun.which('wrk')) notes.push('wrk is not installed; our own load generator stands in')
    return {
      scenario: 'P1',
      title: 'pass-through of a small unique call',
      rows: [...rows, ...equal],
      targets,
      notes,
    }
  } finally {
    await Promise.all([node, nginx, bare, headgate].map((server) => server?.stop()))
  }
}

export async function full(server: Contender, { seconds }: Effort): Promise<Sample> {
  const offered = {
    connections: CONNECTIONS,
    seconds,
    ratePerSecond: null,
    calls: 'unique' as const,
  }
  return (await measureWrk(server, seconds, 'unique')) ?? measureLoad(server, offered)
}

export function steady(
  server: Contender,
  { seconds }: Effort,
  ratePerSecond: number,
  connections = CONNECTIONS,
): Promise<Sample> {
  return measureLoad(server, { connections, seconds, ratePerSecond, calls: 'unique' })
}
