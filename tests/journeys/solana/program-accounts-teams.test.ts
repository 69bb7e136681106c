import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { PROGRAM_IDS } from '../../../src/core/solana/programs.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'
import { newTeam, type TestTeam } from '../../support/product/teams.ts'

setDefaultTimeout(180_000)

const SLUG = 'solana-devnet'
const BATCH = 53
const CALLS = 1060
const WALKS_KEPT_MAX = 1000

let headgate: TestHeadgate
let few: TestTeam
let many: TestTeam

beforeAll(async () => {
  headgate = await startHeadgate()
  few = await newTeam(headgate, 'growth')
  many = await newTeam(headgate, 'enterprise')
})
afterAll(() => headgate.stop())

test('no team’s cheap calls expire the page keys of another', async () => {
  const first = await ask(few.key, { limit: 1 })
  expect(first.json.pageKey).toBeString()
  const own = await ask(many.key, sliced(0))
  for (let from = 1; from < CALLS; from += BATCH) {
    const calls = Array.from({ length: BATCH }, (_, at) =>
      rpc('getProgramAccounts', [PROGRAM_IDS.splToken, sliced(from + at)], at),
    )
    const { json } = await headgate.post(calls, { slug: SLUG, key: many.key })
    for (const { result } of json) expect(result).toHaveLength(1)
  }
  // Asked for only once they are swept, as asking would make it the last that is given up.
  await until(async () => (await walksKept()) <= WALKS_KEPT_MAX, 'those above the limit are gone')
  const { json } = await ask(many.key, { ...sliced(0), pageKey: own.json.pageKey })
  expect(json.error.message).toBe('pageKey has expired')
  const second = await ask(few.key, { pageKey: first.json.pageKey })
  expect(second.json.result).toHaveLength(5)
})

async function walksKept(): Promise<number> {
  const page = await (await fetch(`${headgate.url}/metrics`)).text()
  return Number(/^headgate_account_walks (\d+)$/m.exec(page)?.[1] ?? Number.NaN)
}

function sliced(length: number) {
  return { limit: 1, encoding: 'base64', dataSlice: { offset: 0, length } }
}

function ask(key: string, config: object) {
  const call = rpc('getProgramAccounts', [PROGRAM_IDS.splToken, config])
  return headgate.post(call, { slug: SLUG, key })
}
