import type { LogFields } from '../../../src/ports/telemetry.ts'
import type { SimBlock } from '../chain-block.ts'
import type { Life } from '../process-life.ts'
import type { Run } from '../sim-run.ts'
import type { SimNode } from './sim-node.ts'

/** Longer than a vote can take. */
const VOTE_MS_MAX = 4_000

/**
 * A reorganisation is followed when more nodes hold the new block than any other. Those
 * count against it who always answer and held one other block for longer than votes take.
 */
export function judgeReorganisation(run: Run, life: Life, fields: LogFields): void {
  const { nodes, tree, trace } = run
  const { number, hash } = fields
  const block = tree.byHash(String(hash))
  trace.note(life.name, 'follows a fork to', block?.name ?? String(hash))
  const sinceMs = run.clock.elapsedMs() - VOTE_MS_MAX
  const against = new Map<SimBlock, number>()
  let possible = 0
  for (const node of nodes) {
    const held = new Set(heldSince(node, Number(number), sinceMs))
    const [one] = held
    if ([...held].some((other) => other?.hash === hash) || node.fake?.hash === hash) possible++
    else if (one && held.size === 1 && node.plan.character === 'steady') {
      against.set(one, (against.get(one) ?? 0) + 1)
    }
  }
  const most = Math.max(0, ...against.values())
  if (most === 0 || most < possible) return
  run.complaints.push(
    `${life.name} follows a fork to ${block?.name ?? hash}, held by ${possible}, against ${most}`,
  )
}

/** The blocks that a node held at a height since then; undefined stands for none. */
function heldSince(node: SimNode, number: number, sinceMs: number): (SimBlock | undefined)[] {
  const lastBefore = node.stood.findLastIndex(({ atMs }) => atMs <= sinceMs)
  return node.stood.slice(Math.max(0, lastBefore)).map(({ tip }) => {
    let block: SimBlock | null = tip
    while (block && block.number > number) block = block.parent
    return block?.number === number ? block : undefined
  })
}
