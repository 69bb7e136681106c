import { mkdirSync, writeFileSync } from 'node:fs'
import { type Effort, FULL, print, type Result, TINY } from './compare.ts'
import { passThrough } from './p1-pass-through.ts'
import { repeated } from './p2-repeated.ts'
import { batches } from './p3-batch.ts'
import { streaming } from './p4-streaming.ts'
import { failover } from './p5-failover.ts'
import { standingQueries } from './p6-standing-queries.ts'
import { manyQueries } from './p7-many-queries.ts'
import { largeVariables } from './p8-large-variables.ts'
import { deliveries } from './p9-deliveries.ts'
import { hangingHosts } from './p10-hanging-hosts.ts'
import { blockLatency } from './p11-block-latency.ts'

const SCENARIOS: Record<string, (effort: Effort) => Promise<Result>> = {
  p1: passThrough,
  p2: repeated,
  p3: batches,
  p4: streaming,
  p5: failover,
  p6: standingQueries,
  p7: manyQueries,
  p8: largeVariables,
  p9: deliveries,
  p10: hangingHosts,
  p11: blockLatency,
}

const words = process.argv.slice(2)
const effort = words.includes('--tiny') ? TINY : FULL
const wanted = words.filter((word) => !word.startsWith('--'))
const unknown = wanted.find((name) => !SCENARIOS[name])
if (unknown) {
  console.error(`${unknown} is no scenario; there are ${Object.keys(SCENARIOS).join(', ')}`)
  process.exit(2)
}

const folder = `${import.meta.dir}/results`
mkdirSync(folder, { recursive: true })
for (const name of wanted.length > 0 ? wanted : Object.keys(SCENARIOS)) {
  const result = await SCENARIOS[name]?.(effort)
  if (!result) continue
  print(result)
  writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(result, null, 2)}\n`)
}
process.exit(0)
