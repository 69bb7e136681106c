// Runs on both stores.
import { expect, test } from 'bun:test'
import { moveChain, moveTail } from '../../src/tables/chain/chain-tail.ts'
import type { NodePlan } from './nodes/sim-node.ts'
import type { RunPlan } from './plan-run.ts'
import { beginLife, type Life } from './process-life.ts'
import { startProcess } from './sim-process.ts'
import { openRun, type Run } from './sim-run.ts'
import { type ChainRow, NETWORK, NO_FAULTS, openSimStores } from './sim-store.ts'

const BLOCK_MS = 2_000
const LEFT_AT_MS = 5_000
const BACK_AT_MS = 25_000
const END_MS = 45_000
const SEEDS = 16
const TEST_MS_MAX = 180_000

const stores = await openSimStores()

test(
  'after hours off, a follower is not led onto the branch of one node alone',
  () => {
    let tempted = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const run = openRun(stores, seed, withLonelyNode)
      const { clock, tree, nodes } = run
      clock.every(BLOCK_MS, () => tree.grow())
      const before = follow(run)
      clock.runUntil(LEFT_AT_MS)
      before.life.end('is switched off')
      clock.runUntil(BACK_AT_MS)
      const lonely = nodes.at(-1)?.tip
      if (lonely && !lonely.honest && lonely.number > tree.tip().number) tempted++

      const after = follow(run)
      clock.runUntil(END_MS)
      after.life.end('the run is over')
      run.office.end('the run is over')
      clock.runUntil(END_MS + BLOCK_MS)
      run.store.wipe()
      const made = after.events.map(({ tip_hash }) => tree.byHash(tip_hash))
      expect(made.length).toBeGreaterThan(0)
      expect(made.filter((block) => !block?.honest).map((block) => block?.name)).toEqual([])
    }
    expect(tempted).toBeGreaterThan(0)
  },
  TEST_MS_MAX,
)

test('a follower that has reached the head learns that another process has moved the chain', () => {
  const run = openRun(stores, 1, withLonelyNode)
  const { clock, tree, store } = run
  for (let at = 1; at <= 2; at++) clock.after(at * BLOCK_MS, () => void tree.grow())
  const { life, events } = follow(run)
  clock.runUntil(LEFT_AT_MS)
  const reached = events.at(-1)
  expect(reached?.tip_hash).toBe(tree.tip().hash)

  const { number, parent } = tree.tip()
  const header = { number, hash: `0x${'e'.repeat(64)}`, parentHash: parent?.hash ?? '' }
  const previousSequence = reached?.sequence_number ?? null
  const move = { network: NETWORK, previousSequence, header, kind: 'forks' as const }
  clock.settle(
    store.database.transaction(async (tx) => {
      const moved = { ...move, finalized: null, keepFrom: 0, atMs: 0 }
      await moveTail(tx, moved, (await moveChain(tx, moved))?.sequenceNumber ?? 0)
    }),
    0,
  )
  clock.runUntil(LEFT_AT_MS + 5 * BLOCK_MS)
  life.end('the run is over')
  run.office.end('the run is over')
  clock.runUntil(END_MS)
  store.wipe()
  expect(events.at(-1)).toMatchObject({
    tip_hash: tree.tip().hash,
    sequence_number: (previousSequence ?? 0) + 2,
  })
})

/** Two nodes that are well, and one that goes its own way while nobody looks. */
function withLonelyNode(usual: RunPlan): RunPlan {
  const node: NodePlan = {
    name: 'node-0',
    character: 'steady',
    priority: 0,
    lagMs: 50,
    jitterMs: 50,
    latencyMs: 10,
    socket: 'every_head',
    forgetsOrphans: false,
    receipts: 'at_once',
    faults: [],
  }
  const fault = { kind: 'lies_branch' as const, rate: 1, untilMs: END_MS }
  const fromMs = LEFT_AT_MS + BLOCK_MS
  const nodes: NodePlan[] = [
    node,
    { ...node, name: 'node-1' },
    { ...node, name: 'node-2', character: 'liar', faults: [{ ...fault, fromMs }] },
  ]
  const upstreams = nodes.map(({ name }) => ({
    name,
    url: `http://${name}/`,
    ws: `ws://${name}/`,
    priority: 0,
    traces: true,
    concurrencyMax: 64,
    batchMax: 0,
    timeoutMs: 3_000,
  }))
  const finality = { kind: 'depth', depth: 6 } as const
  const network = {
    ...usual.network,
    blockTimeMs: BLOCK_MS,
    headPollMs: BLOCK_MS,
    headLagMsMax: 30 * BLOCK_MS,
    finalityDepth: finality.depth,
    upstreams,
  }
  return { ...usual, nodes, network, finality, store: NO_FAULTS, changes: 0, traces: false }
}

function follow(run: Run): { life: Life; events: ChainRow[] } {
  const { clock, trace, nodes, store, plan } = run
  const life = beginLife(
    'A',
    () => null,
    () => {},
  )
  const events: ChainRow[] = []
  const database = store.connect(
    life,
    () => NO_FAULTS,
    (chain) => void (chain && events.push(chain)),
  )
  const needs = { clock, trace, nodes, network: plan.network, logged: () => {} }
  startProcess(needs, life, 'A', 0, database)
  return { life, events }
}
