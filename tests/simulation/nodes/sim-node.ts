import type { Chance } from '../../support/basics/seeded-chance.ts'
import { hash32, type SimBlock } from '../chain-block.ts'
import type { ForkTree } from '../fork-tree.ts'
import type { Trace } from '../trace.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import type { Character, Fault, FaultKind } from './node-faults.ts'

export type NodePlan = {
  name: string
  character: Character
  priority: number
  /** It hears of blocks so late, give or take. */
  lagMs: number
  jitterMs: number
  latencyMs: number
  socket: 'none' | 'every_head' | 'last_head' | 'sloppy'
  forgetsOrphans: boolean
  receipts: 'at_once' | 'one_by_one'
  faults: readonly Fault[]
}

/** A header with nothing behind it. */
export type FakeHead = { number: number; hash: string; parentHash: string; timestampS: number }

export type SimNode = {
  plan: NodePlan
  chance: Chance
  tree: ForkTree
  /** The blocks of its chain, by height. */
  line: Map<number, SimBlock>
  /** All that was ever in it. */
  seen: Set<SimBlock>
  tip: SimBlock
  final: number
  fake: FakeHead | null
  /** Where it stood since when, for judging votes afterwards. */
  stood: { atMs: number; tip: SimBlock }[]
  has(kind: FaultKind): boolean
  /** Whether a fault of this kind strikes now. */
  struck(kind: FaultKind): boolean
  /** Calls `hear` with heads as a socket announces them. */
  announce: Set<(head: SimBlock | FakeHead) => void>
  /** Closes its sockets. */
  hangUp: Set<() => void>
}

type Needs = { clock: VirtualClock; tree: ForkTree; trace: Trace; chance: Chance }

/** Blocks above its own chain that a liar makes up before it rests. */
const LIE_BLOCKS_MAX = 4
const SKY_BLOCKS = 1_000

export function openNode(needs: Needs, plan: NodePlan): SimNode {
  const { clock, tree, chance } = needs
  const active = (kind: FaultKind) => {
    const nowMs = clock.elapsedMs()
    return plan.faults.find(
      (one) => one.kind === kind && one.fromMs <= nowMs && nowMs < one.untilMs,
    )
  }
  const node: SimNode = {
    plan,
    chance,
    tree,
    line: new Map(),
    seen: new Set(),
    tip: tree.tip(),
    final: 0,
    fake: null,
    stood: [],
    has: (kind) => active(kind) !== undefined,
    struck(kind) {
      const fault = active(kind)
      return fault !== undefined && (fault.rate === 1 || chance.fraction() < fault.rate)
    },
    announce: new Set(),
    hangUp: new Set(),
  }
  moveTo(needs, node, tree.tip())
  followTree(needs, node)
  for (const fault of plan.faults) begin(needs, node, fault)
  return node
}

/** Takes over the canonical tip some time after it became it, but for faults that forbid it. */
function followTree(needs: Needs, node: SimNode): void {
  const { clock, tree, chance } = needs
  const { lagMs, jitterMs, faults } = node.plan
  let atMs = 0
  const adopt = (tip: SimBlock, final: number) => {
    if (node.has('frozen') || node.has('lies_branch')) return
    node.final = Math.max(node.final, Math.min(final, tip.number))
    moveTo(needs, node, tip)
  }
  tree.subscribe((tip) => {
    atMs = Math.max(atMs, clock.elapsedMs() + lagMs + chance.fraction() * jitterMs)
    // Finality goes with the tip: it has not heard of later votes yet.
    const final = tree.floor()
    clock.after(atMs - clock.elapsedMs(), () => adopt(tip, final))
  })
  for (const { kind, untilMs } of faults) {
    if (kind === 'frozen' || kind === 'lies_branch')
      clock.after(untilMs, () => adopt(tree.tip(), tree.floor()))
  }
}

function moveTo({ clock, chance }: Needs, node: SimNode, tip: SimBlock): void {
  if (node.line.get(tip.number) === tip && node.tip === tip) return
  const fresh: SimBlock[] = []
  for (let above = node.tip.number; above > tip.number; above--) node.line.delete(above)
  for (let block: SimBlock | null = tip; block && node.line.get(block.number) !== block; ) {
    node.line.set(block.number, block)
    node.seen.add(block)
    fresh.unshift(block)
    block = block.parent
  }
  node.tip = tip
  node.stood.push({ atMs: clock.elapsedMs(), tip })
  for (const head of headsTold(node, fresh, chance)) {
    for (const hear of [...node.announce]) hear(head)
  }
}

/** Sockets tell every head, only the last of them, or carelessly some of them, some twice. */
function headsTold({ plan }: SimNode, fresh: readonly SimBlock[], chance: Chance): SimBlock[] {
  if (plan.socket === 'every_head') return [...fresh]
  if (plan.socket === 'last_head') return fresh.slice(-1)
  return fresh.flatMap((head) => Array.from({ length: chance.between(0, 2) }, () => head))
}

function begin(needs: Needs, node: SimNode, fault: Fault): void {
  const { clock, trace } = needs
  const { kind, fromMs, untilMs, rate } = fault
  clock.after(fromMs, () => {
    trace.note(node.plan.name, 'begins', kind, `rate ${rate}`, `until ${untilMs / 1000}`)
    if (kind === 'socket_closed') for (const end of [...node.hangUp]) end()
    if (kind === 'lies_header') lieInHeaders(needs, node)
    if (kind === 'lies_branch') lieInBlocks(needs, node)
  })
}

/** Announces heads that are none, at a height it knows, the next one, or far above. */
function lieInHeaders(needs: Needs, node: SimNode): void {
  const { clock, chance, trace } = needs
  const again = () => {
    if (!node.has('lies_header')) {
      node.fake = null
      return
    }
    const shift = chance.fraction() < 0.1 ? SKY_BLOCKS : chance.between(-2, 2)
    const number = node.tip.number + shift
    const below = node.line.get(number - 1)
    const lost = hash32('fa', chance.between(0, 2 ** 30))
    node.fake = {
      number,
      hash: hash32('fa', chance.between(0, 2 ** 30)),
      parentHash: chance.fraction() < 0.8 ? (below?.hash ?? lost) : lost,
      timestampS: node.tip.timestampS,
    }
    trace.note(node.plan.name, 'makes up the head', number, node.fake.hash.slice(-8))
    for (const hear of [...node.announce]) hear(node.fake)
    clock.after(chance.between(200, 4_000), again)
  }
  again()
}

/** Leaves the chain a few blocks down and goes on alone, some blocks at a time. */
function lieInBlocks(needs: Needs, node: SimNode): void {
  const { clock, chance, tree, trace } = needs
  let block = node.tip
  for (let down = chance.between(0, 8); down > 0 && block.parent; down--) block = block.parent
  const again = () => {
    if (!node.has('lies_branch')) return
    for (let up = chance.between(1, LIE_BLOCKS_MAX); up > 0; up--) block = tree.makeUp(block)
    trace.note(node.plan.name, 'goes on alone to', block.name, `from ${block.parent?.name}`)
    moveTo(needs, node, block)
    clock.after(chance.between(500, 6_000), again)
  }
  again()
}
