import { mkdirSync, writeFileSync } from 'node:fs'
import { FULL, print, TINY } from './compare.ts'
import { SCENARIOS } from './scenarios.ts'

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
