import { compare, type Effort, type Result, type Sample, target } from './compare.ts'
import { type Contender, startFastUpstream, startHeadgate, startNginx } from './contenders.ts'
import { measureLoad, measureWrk } from './measure.ts'

/** P2: the same call again and again, answered from the head's cache. */
export async function repeated(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const nginx = await startNginx(node.url)
  const headgate = await startHeadgate([{ name: 'node', url: node.url }])
  try {
    const rows = await compare(effort, [
      ...(nginx ? [{ name: 'nginx', measure: () => same(nginx, effort) }] : []),
      { name: 'headgate', measure: () => same(headgate, effort) },
    ])
    const speed = (name: string) => rows.find((row) => row.name === name)?.perSecond ?? 0
    return {
      scenario: 'P2',
      title: 'the same call repeated',
      rows,
      targets: nginx
        ? [target('against nginx', speed('headgate') / speed('nginx'), { atLeast: 1.2 })]
        : [],
      notes: nginx ? [] : ['nginx is not installed (Debian: nginx-light), so there is no target'],
    }
  } finally {
    await Promise.all([node, nginx, headgate].map((server) => server?.stop()))
  }
}

export async function same(server: Contender, { seconds }: Effort): Promise<Sample> {
  const offered = { connections: 64, seconds, ratePerSecond: null, calls: 'same' as const }
  return (await measureWrk(server, seconds, 'same')) ?? measureLoad(server, offered)
}
