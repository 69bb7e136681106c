import { compare, type Effort, type Result, target } from './compare.ts'
import { startBadUpstreams, startFastUpstream, startHeadgate } from './contenders.ts'
import { measureLoad } from './measure.ts'
import { full, steady } from './p1-pass-through.ts'

/** The time that the gateway waits at least before it asks a second upstream. */
const HEDGE_DELAY_MS = 5
const EQUAL_LOAD_SHARE = 0.5

/**
 * P5: one upstream dead, one hanging, one answering 500, one healthy; against the healthy
 * alone.
 */
export async function failover(effort: Effort): Promise<Result> {
  const node = await startFastUpstream()
  const bad = await startBadUpstreams()
  const healthy = { name: 'healthy', url: node.url }
  const alone = await startHeadgate([healthy])
  const mixed = await startHeadgate([
    { name: 'dead', url: 'http://127.0.0.1:1/' },
    { name: 'hanging', url: bad.hanging },
    { name: 'failing', url: bad.failing },
    healthy,
  ])
  try {
    const rows = await compare(effort, [
      { name: 'healthy alone', measure: () => full(alone, effort) },
      { name: 'three bad beside it', measure: () => full(mixed, effort) },
    ])
    const [one, four] = rows
    const rate = Math.round((one?.perSecond ?? 0) * EQUAL_LOAD_SHARE)
    const equal = await compare(effort, [
      { name: 'alone, equal load', measure: () => steady(alone, effort, rate) },
      { name: 'mixed, equal load', measure: () => steady(mixed, effort, rate) },
    ])
    const checked = await measureLoad(mixed, {
      connections: 64,
      seconds: effort.seconds,
      ratePerSecond: null,
      calls: 'unique',
    })
    const addedMs = (equal[1]?.p99Ms ?? 0) - (equal[0]?.p99Ms ?? 0)
    const failed = checked.failed + (four?.failed ?? 0) + (equal[1]?.failed ?? 0)
    return {
      scenario: 'P5',
      title: 'one dead, one hanging, one answering 500, one healthy',
      rows: [...rows, ...equal],
      targets: [
        target('failed calls', failed, { atMost: 0 }, 'calls'),
        target('throughput', (four?.perSecond ?? 0) / (one?.perSecond ?? 1), { atLeast: 0.8 }),
        target('p99 added at equal load', addedMs, { atMost: HEDGE_DELAY_MS }, 'ms'),
      ],
      notes: [],
    }
  } finally {
    await Promise.all([node.stop(), bad.stop(), alone.stop(), mixed.stop()])
  }
}
