import type { Network } from '../../src/core/network.ts'
import type { Chance } from '../support/basics/seeded-chance.ts'
import type { Finality } from './fork-tree.ts'
import { CHAIN_ID } from './nodes/node-answers.ts'
import { type Character, planFaults } from './nodes/node-faults.ts'
import type { NodePlan } from './nodes/sim-node.ts'
import { NETWORK, NO_FAULTS, type StoreFaults } from './sim-store.ts'

/** All that a seed decides before the run begins. */
export type RunPlan = {
  blockTimeMs: number
  /** Trouble of any kind ends here; what follows must lead to the final chain. */
  calmAtMs: number
  finality: Finality
  reorganisationRate: number
  network: Network
  nodes: NodePlan[]
  store: StoreFaults
  crashesMax: number
  downMsMax: number
  processes: ProcessPlan[]
  webhooks: number
  /** The first webhooks ask for headers only, so that more is wanted later. */
  narrow: boolean
  changes: number
  traces: boolean
}

export type ProcessPlan = { name: string; startAtMs: number; skewMs: number; sameHolder: boolean }

/** Most runs are short, so that many fit; now and then one is long, and forks deep in it. */
const BLOCKS = { min: 4, short: 10, usual: 45, long: 400 }
const SHORT_RATE = 0.94
const LONG_RATE = 0.004

const TIMEOUT_MS = 3_000

export function planRun(chance: Chance): RunPlan {
  const blockTimeMs = chance.pick([400, 1_000, 1_000, 2_000, 4_000])
  const dice = chance.fraction()
  const long = dice < LONG_RATE
  const blocks =
    dice > 1 - SHORT_RATE
      ? chance.between(BLOCKS.min, BLOCKS.short)
      : chance.between(BLOCKS.short, long ? BLOCKS.long : BLOCKS.usual)
  const calmAtMs = blocks * blockTimeMs
  const finality = planFinality(chance, long)
  const nodes = planNodes(chance, blockTimeMs, calmAtMs)
  return {
    blockTimeMs,
    calmAtMs,
    finality,
    reorganisationRate: chance.pick([0, 0.05, 0.15, 0.3]),
    network: planNetwork(chance, blockTimeMs, finality, nodes),
    nodes,
    store: planStore(chance),
    crashesMax: chance.pick([0, 1, 2, 4, 8]),
    downMsMax: chance.pick([1_000, 12_000, 12_000, 60_000]),
    processes: planProcesses(chance, calmAtMs),
    webhooks: chance.between(1, 5),
    narrow: chance.fraction() < 0.15,
    changes: chance.pick([0, 4, 12]),
    traces: chance.fraction() < 0.15,
  }
}

function planFinality(chance: Chance, long: boolean): Finality {
  const depths = long ? [12, 30, 64] : [1, 2, 3, 5, 8, 12]
  return chance.fraction() < 0.8
    ? { kind: 'depth', depth: chance.pick(depths) }
    : { kind: 'tag', lag: chance.between(4, 12) }
}

/** With a liar the others are truthful and in the majority; without, all may fail at once. */
function planNodes(chance: Chance, blockTimeMs: number, calmAtMs: number): NodePlan[] {
  const count = chance.between(1, 4)
  const liar = count >= 3 && chance.fraction() < 0.6 ? chance.between(0, count - 1) : null
  const faultsMax = chance.pick([0, 2, 6])
  const priorities = chance.pick(['equal', 'equal', 'equal', 'mixed', 'one_first'] as const)
  return Array.from({ length: count }, (_, at) => {
    const character: Character = liar === null ? 'wild' : at === liar ? 'liar' : 'steady'
    const faults = chance.between(0, faultsMax) + (character === 'liar' ? 3 : 0)
    return {
      name: `node-${at}`,
      character,
      priority: priorityOf(chance, priorities, at === (liar ?? 0)),
      lagMs: chance.fraction() ** 2 * blockTimeMs * 1.5,
      jitterMs: chance.fraction() * blockTimeMs * 0.5,
      latencyMs: chance.pick([2, 10, 40, 200]),
      socket: chance.pick(['none', 'every_head', 'last_head', 'sloppy'] as const),
      forgetsOrphans: chance.fraction() < 0.3,
      receipts: chance.fraction() < 0.75 ? 'at_once' : 'one_by_one',
      faults: planFaults(chance, character, faults, calmAtMs),
    }
  })
}

/** A liar may well be the one that is asked first of all. */
function priorityOf(chance: Chance, priorities: 'equal' | 'mixed' | 'one_first', first: boolean) {
  if (priorities === 'mixed') return chance.between(0, 1)
  return priorities === 'one_first' && !first ? 1 : 0
}

function planNetwork(
  chance: Chance,
  blockTimeMs: number,
  finality: Finality,
  nodes: readonly NodePlan[],
): Network {
  return {
    id: NETWORK,
    slug: 'sim-chain',
    kind: 'evm',
    chainId: CHAIN_ID,
    // Its blocks are made up.
    verify: 'off',
    blockTimeMs,
    headPollMs: Math.round(blockTimeMs * chance.pick([0.25, 0.5, 1])),
    headLagMsMax: chance.pick([2, 5, 20]) * blockTimeMs,
    ...(finality.kind === 'depth' ? { finalityDepth: finality.depth } : {}),
    upstreams: nodes.map(({ name, priority, socket }) => ({
      name,
      url: `http://${name}/`,
      ...(socket === 'none' ? {} : { ws: `ws://${name}/` }),
      priority,
      traces: true,
      concurrencyMax: chance.pick([4, 64]),
      batchMax: 0,
      timeoutMs: TIMEOUT_MS,
    })),
  }
}

function planStore(chance: Chance): StoreFaults {
  if (chance.fraction() < 0.4) return NO_FAULTS
  return {
    lateRate: chance.pick([0, 0.02, 0.1]),
    lateMsMax: chance.pick([20, 1_000, 12_000]),
    failRate: chance.pick([0, 0.01, 0.05]),
    lostAnswerRate: chance.pick([0, 0.05, 0.2]),
  }
}

/** Clocks that differ make both believe that the lease is theirs. */
function planProcesses(chance: Chance, calmAtMs: number): ProcessPlan[] {
  const skewed = chance.fraction() < 0.5
  const skew = () => (skewed ? chance.between(-15_000, 15_000) : 0)
  const sameHolder = chance.fraction() < 0.5
  const first = { name: 'A', startAtMs: 0, skewMs: skew(), sameHolder }
  if (chance.fraction() < 0.6) return [first]
  const startAtMs = Math.floor(chance.fraction() ** 2 * calmAtMs)
  return [first, { name: 'B', startAtMs, skewMs: skew(), sameHolder }]
}
