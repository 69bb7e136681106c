import { startPostgresServer } from '../../tests/support/postgres/postgres-server.ts'
import type { Effort, Result } from '../compare.ts'
import { callBytes, compileCost, frameCosts } from './code-costs.ts'
import { notifyCost } from './notify-cost.ts'
import { costText } from './server-cost.ts'
import { creationCost, hintedCosts, togetherCost } from './store-costs.ts'
import { usageCost } from './usage-cost.ts'

/** As in P16: nothing counts before the disk has it. */
const SERVER = ['fsync=on', 'shared_buffers=256MB', 'max_wal_size=4GB']

/** Costs that the capacity model is made of and no other scenario measures. */
export async function capacityCosts(effort: Effort): Promise<Result> {
  await using opened = new AsyncDisposableStack()
  const server = opened.adopt(await startPostgresServer(SERVER), (one) => one.close())
  const isFull = effort.rounds > 1
  const deliveries = isFull ? 20_000 : 400
  const batches = isFull ? 25 : 2
  const hinted = await hintedCosts(server.url, deliveries)
  const notes = [
    `A delivery, committed by a follower: ${costText(await creationCost(server.url, deliveries))}`,
    `committed, and by another process sent and settled: ${costText(hinted.sent)}`,
    `removed by retention, as the log is too large: ${costText(hinted.pruned)}`,
    `all of it in one process: ${costText(await togetherCost(server.url, deliveries))}`,
    `A row of usage, one writer: ${costText(await usageCost(server.url, 1, batches))}`,
    `the same rows, four writers: ${costText(await usageCost(server.url, 4, batches))}`,
    `A notification to six processes: ${costText(await notifyCost(server.url, isFull ? 4_000 : 50))}`,
    ...frameCosts(isFull ? 200 : 2),
    compileCost(isFull ? 2_000 : 50),
    await callBytes(),
    'The server, our processes, receivers and nodes share the machine.',
  ]
  return {
    scenario: 'CAPACITY-COSTS',
    title: 'bodies of 2 KB, each with a result of its own, on PostgreSQL',
    rows: [],
    targets: [],
    notes,
  }
}
