import { describe, expect, test } from 'bun:test'
import type { Chance } from '../../../tests/support/basics/seeded-chance.ts'
import { sized } from '../../../tests/support/basics/sized.ts'
import { keyOf } from '../../../tests/support/solana/account-bytes.ts'
import {
  expectedText,
  type IndexStage,
  openIndexStage,
  SLOT_MS,
} from '../../../tests/support/solana/index-stage.ts'
import { openAccountStoreHere } from '../../../tests/support/solana/open-account-store-here.ts'
import type { ProgramAccountsCall } from '../../core/solana/request/program-accounts.ts'
import { isSolanaError } from '../../core/solana/solana-error.ts'

/** HEADGATE_INDEX_SEEDS=100 runs a hundred; HEADGATE_INDEX_SEEDS=7-7 runs the seventh again. */
const [FIRST = 1, LAST = FIRST] = (process.env.HEADGATE_INDEX_SEEDS ?? `1-${sized(1, 4)}`)
  .replace(/^(\d+)$/, '1-$1')
  .split('-')
  .map(Number)
const SEEDS = Array.from({ length: LAST - FIRST + 1 }, (_, at) => FIRST + at)

const BLOCKS = 400
const HOUR_BLOCKS = 3_600_000 / SLOT_MS
const KEYS = 40
/** Long enough for a walk, short enough for moments to be forgotten within a run. */
const KEEP_MS = 20_000

/** A walk that goes on page by page while the ledger changes. */
type Walk = { call: ProgramAccountsCall; slot: bigint; after: Uint8Array | null; texts: string[] }

describe('an index under churn and faults', () => {
  test.each(SEEDS)('shows what the ledger had at each slot it shows: seed %d', async (seed) => {
    const stage = await openIndexStage({ seed, keepMs: KEEP_MS, store: openAccountStoreHere() })
    const shown = await live(stage, BLOCKS)
    expect(shown).toBeGreaterThan(BLOCKS / 8)
    await expectEqual(stage)
    await stage.stop()
  })

  // An hour takes a minute, and `npm run test:full` has the time.
  test.if(sized(0, 1) === 1)(
    'is equal to a full scan of the node after an hour',
    async () => {
      const stage = await openIndexStage({
        seed: FIRST,
        keepMs: KEEP_MS,
        store: openAccountStoreHere(),
      })
      await live(stage, HOUR_BLOCKS)
      await expectEqual(stage)
      await stage.stop()
    },
    600_000,
  )
})

/** Goes through so many blocks; returns how often something was shown. */
async function live(stage: IndexStage, blocks: number): Promise<number> {
  const { chance, ledger } = stage
  const walks = new Set<Walk>()
  let shown = 0
  for (let block = 0; block < blocks; block++) {
    churn(stage)
    disturb(stage)
    ledger.mine(chance.fraction() < 0.1 ? chance.between(1, 3) : 0)
    await stage.wait(SLOT_MS)
    shown += await look(stage, walks)
    for (const walk of [...walks]) await goOn(stage, walks, walk)
    if (chance.fraction() < 0.01) {
      walks.clear()
      await stage.restart()
    }
  }
  return shown
}

/** When the node does well again, what is shown is new, of this ledger, and right. */
async function expectEqual(stage: IndexStage): Promise<void> {
  const { ledger } = stage
  calm(stage)
  await stage.run(90_000, () => churn(stage))
  const slot = await stage.check()
  expect(ledger.blocks()).toContain(slot)
  expect(ledger.slot - slot).toBeLessThan(40)
  const final = await stage.check({ commitment: 'finalized' })
  expect(ledger.finalSlot - final).toBeLessThan(40)
}

/** Makes, changes and closes accounts; few keys and few values, so that they come back. */
function churn({ chance, ledger }: IndexStage): void {
  for (let times = chance.between(0, 6); times > 0; times--) {
    const number = chance.between(1, KEYS)
    if (chance.fraction() < 0.3) ledger.close(keyOf(number))
    else ledger.put(keyOf(number), dataOf(chance, number), 2n ** 63n + BigInt(number))
  }
}

/** Mostly nothing but the bytes tells one value of an account from another. */
function dataOf(chance: Chance, number: number): Uint8Array {
  // Some are large, so that answers come in a stream.
  const bytes = number % 10 === 0 ? 6_000 : chance.fraction() < 0.1 ? chance.between(0, 3) : 2
  return new Uint8Array(bytes).fill(chance.between(1, 2))
}

/** One fault of a node, or none; most of them last a few blocks. */
function disturb(stage: IndexStage): void {
  const { chance, node, ledger } = stage
  if (chance.fraction() < 0.1) calm(stage)
  const now = chance.fraction()
  if (now < 0.015) node.hangUp()
  else if (now < 0.02) loseNextBlock(stage)
  else if (now < 0.04) node.lagBlocks = chance.between(1, 6)
  else if (now < 0.05) node.scanDelayMs = chance.between(1, 4_000)
  else if (now < 0.06) node.socketDelayMs = chance.between(1, 900)
  else if (now < 0.07) node.breaksOff = true
  else if (now < 0.09) node.shuffles = !node.shuffles
  else if (now < 0.11) node.refusal = { code: -32603, message: 'busy' }
  else if (now < 0.12) node.refusesSockets = true
  else if (now < 0.125 && ledger.blocks().length > 20) ledger.drop(chance.between(1, 5))
  else if (now < 0.13) loseNextChange(stage)
}

function loseNextBlock({ node, ledger }: IndexStage): void {
  const from = ledger.slot
  node.losesBlock = (slot) => {
    node.losesBlock = () => false
    return slot > from
  }
}

/** Told apart by its lamports or its length, or else not at all before the next full scan. */
function loseNextChange({ node, ledger, chance }: IndexStage): void {
  ledger.put(keyOf(chance.between(1, KEYS)), new Uint8Array(9), 5n)
  node.losesChange = ({ lamports }) => lamports === 5n
}

function calm({ node }: IndexStage): void {
  node.lagBlocks = 0
  node.scanDelayMs = 0
  node.socketDelayMs = 0
  node.breaksOff = false
  node.refusal = null
  node.refusesSockets = false
}

/** Looks at what is shown now, in some way, and at times begins a walk there. */
async function look(stage: IndexStage, walks: Set<Walk>): Promise<number> {
  const { chance, index, ledger } = stage
  const commitment = chance.pick(['confirmed', 'finalized'])
  const order = chance.pick(['asc', 'desc'])
  const filters = chance.fraction() < 0.3 ? [{ dataSize: chance.between(0, 3) }] : []
  const call = stage.call({ commitment, order, filters })
  const covered = index.covers(call)
  if (covered === null) return 0
  await stage.check({ commitment, order, filters })
  const isFinal = ledger.blocks().includes(Number(covered.slot))
  if (commitment === 'finalized' && !isFinal) throw new Error('a slot that is not final is shown')
  if (chance.fraction() < 0.2) walks.add({ call, ...covered, after: null, texts: [] })
  return 1
}

/** The next page of a walk; at its end all pages together are what the ledger had. */
async function goOn(stage: IndexStage, walks: Set<Walk>, walk: Walk): Promise<void> {
  const { chance, index, ledger } = stage
  if (chance.fraction() < 0.5) return
  const place = {
    slot: walk.slot,
    after: walk.after,
    limit: chance.between(1, 8),
    bytesMax: 1e9,
    teamId: 'team',
  }
  const page = await index.page(walk.call, place)
  if (page === 'large') throw new Error('it is held whole')
  if (page === 'gone') {
    walks.delete(walk)
    return
  }
  if (isSolanaError(page)) throw new Error(page.message)
  if (page.count > 0) walk.texts.push(Buffer.concat(page.bytes).toString())
  walk.after = page.last ?? walk.after
  if (page.more) return
  walks.delete(walk)
  expect(walk.texts.join()).toBe(expectedText(ledger, walk.call, Number(walk.slot)))
}
