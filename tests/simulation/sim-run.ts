import { type Chance, seededChance } from '../support/basics/seeded-chance.ts'
import { type Customers, openCustomers } from './customers.ts'
import { type ForkTree, openForkTree } from './fork-tree.ts'
import { openNode, type SimNode } from './nodes/sim-node.ts'
import { planRun, type RunPlan } from './plan-run.ts'
import { beginLife, type Life } from './process-life.ts'
import { wallMs } from './process-ports.ts'
import { type ChainRow, NO_FAULTS, type SimStore, type SimStores } from './sim-store.ts'
import { openTrace, type Trace } from './trace.ts'
import { type VirtualClock, virtualClock } from './virtual-clock.ts'

/** A run while it lasts. */
export type Run = {
  plan: RunPlan
  clock: VirtualClock
  trace: Trace
  tree: ForkTree
  nodes: SimNode[]
  store: SimStore
  customers: Customers
  /** The process that serves the customers' changes; it does not crash. */
  office: Life
  /** One for each event, as committed. */
  events: ChainRow[]
  /** The promises that did not hold. */
  complaints: string[]
  /** Gives each part of the run its own chance, so that they do not disturb each other. */
  chance(part: number): Chance
}

const PARTS_MAX = 64
const NODE_PARTS = 8

/** Sets everything up as the seed wants it; nothing is followed yet. */
export function openRun(
  stores: SimStores,
  seed: number,
  planned: (usual: RunPlan) => RunPlan = (usual) => usual,
): Run {
  const chance = (part: number) => seededChance(seed * PARTS_MAX + part)
  const plan = planned(planRun(chance(0)))
  const clock = virtualClock()
  const trace = openTrace(clock.elapsedMs)
  const tree = openForkTree(chance(1), plan.finality, () => Math.floor(wallMs(clock) / 1000))
  const store = stores.open(clock, chance(2))
  const nodes = plan.nodes.map((node, at) => {
    trace.note(node.name, 'is', node.character, node.socket, `lags ${Math.round(node.lagMs)} ms`)
    return openNode({ clock, tree, trace, chance: chance(NODE_PARTS + at) }, node)
  })
  const office = beginLife(
    'customer',
    () => null,
    () => {},
  )
  let committed: ChainRow | null = null
  const faults = () =>
    clock.elapsedMs() > 0 ? { ...plan.store, failRate: 0, lostAnswerRate: 0 } : NO_FAULTS
  const database = store.connect(office, faults, (chain) => {
    committed = chain
  })
  const needs = { clock, trace, chance: chance(3), database, lastCommit: () => committed }
  const customers = openCustomers(needs, plan)
  customers.begin(plan.calmAtMs)
  return {
    plan,
    clock,
    trace,
    tree,
    nodes,
    store,
    customers,
    office,
    events: [],
    complaints: [],
    chance,
  }
}
