import { compare, type Effort, type Result, target } from './compare.ts'
import { startFastUpstream, startHeadgate } from './contenders.ts'
import { measureLoad } from './measure.ts'

const BATCH_CALLS = 100

/** P3: calls in batches of a hundred against the same calls one by one. */
export async function batches(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const headgate = await startHeadgate([{ name: 'node', url: node.url }])
  const { seconds } = effort
  const offered = { seconds, ratePerSecond: null }
  try {
    const rows = await compare(effort, [
      {
        name: 'single calls',
        measure: () => measureLoad(headgate, { ...offered, connections: 64, calls: 'unique' }),
      },
      {
        name: 'batches of 100',
        measure: () => measureLoad(headgate, { ...offered, connections: 8, calls: BATCH_CALLS }),
      },
    ])
    const [single, batch] = rows
    const ratio = (batch?.perSecond ?? 0) / (single?.perSecond ?? 1)
    return {
      scenario: 'P3',
      title: 'batch of 100 calls',
      rows,
      targets: [target('calls per second', ratio, { atLeast: 3 })],
      notes: [],
    }
  } finally {
    await Promise.all([node.stop(), headgate.stop()])
  }
}
