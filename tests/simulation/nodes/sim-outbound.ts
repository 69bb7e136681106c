import { Failure } from '../../../src/core/errors.ts'
import type { Outbound, OutboundListener } from '../../../src/ports/outbound.ts'
import type { Life } from '../process-life.ts'
import type { Trace } from '../trace.ts'
import type { VirtualClock } from '../virtual-clock.ts'
import { type Answered, answerCall } from './node-answers.ts'
import type { SimNode } from './sim-node.ts'

type Needs = { clock: VirtualClock; nodes: readonly SimNode[]; trace: Trace }

/** The end of a call: an answer, nothing at all, or a broken connection. */
type Fate = { status: number; text: string } | 'silence' | 'refused' | 'broken'

type Call = { id: number; method: string; params: unknown[] }

const SLOW_MS = 1_500
/** Ids of processes' calls differ, so only what they have in common is compared between runs. */
const STIR_METHOD_CHARS = 12

/** The way out over HTTP of one process. */
export function simOutbound({ clock, nodes, trace }: Needs, life: Life): Outbound {
  const byHost = new Map(nodes.map((node) => [node.plan.name, node]))
  /** Nodes that lost our last call. */
  const lost = new Set<SimNode>()
  const fateNow = (node: SimNode, call: Call): Fate =>
    hiccups(lost, node, call) ? 'broken' : fateOf(node, call)

  const post: Outbound['post'] = ({ url, body }, listener, context) => {
    life.step('sent')
    let over = false
    const node = byHost.get(new URL(url).hostname)
    if (!node || !life.alive) return () => {}
    const call: Call = JSON.parse(body)
    const latencyMs = latencyOf(node)
    trace.stir(call.method.length * STIR_METHOD_CHARS + latencyMs)
    // An answer may be true of the moment of the question or of its own.
    const early = node.chance.fraction() < 0.5 ? fateNow(node, call) : null
    clock.after(
      latencyMs,
      () => {
        const fate = early ?? fateNow(node, call)
        if (over || fate === 'silence') return
        over = true
        life.step('answered')
        if (life.alive) tell(listener, context, fate)
        life.step('answered')
      },
      life,
    )
    return () => {
      if (over) return
      over = true
      listener.lost(new Failure('upstream_answered_badly'), context)
    }
  }
  return { post }
}

function latencyOf(node: SimNode): number {
  const base = node.plan.latencyMs * (0.5 + node.chance.fraction())
  return Math.ceil(node.struck('slow') ? base + SLOW_MS * node.chance.fraction() : base)
}

function fateOf(node: SimNode, { id, method, params }: Call): Fate {
  if (node.struck('hangs')) return 'silence'
  if (node.struck('refuses')) return 'refused'
  if (node.struck('breaks')) return 'broken'
  if (node.struck('http_500')) return { status: 500, text: 'oops' }
  if (node.struck('http_429')) return { status: 429, text: 'slow down' }
  if (node.struck('garbage')) return { status: 200, text: '<html>gateway</html>' }
  const failing = node.struck('errors')
  const answered = failing ? INTERNAL : answerCall(node, method, params)
  return { status: 200, text: replyText(id, answered) }
}

function hiccups(lost: Set<SimNode>, node: SimNode, { method, params }: Call): boolean {
  if (method === 'eth_chainId' || params[0] === 'latest') return false
  if (lost.delete(node) || !node.struck('hiccups')) return false
  lost.add(node)
  return true
}

const INTERNAL: Answered = { code: -32603, message: 'internal error' }

function replyText(id: number, answered: Answered): string {
  return 'result' in answered
    ? `{"jsonrpc":"2.0","id":${id},"result":${answered.result}}`
    : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(answered)}}`
}

function tell<Context>(
  listener: OutboundListener<Context>,
  context: Context,
  fate: Exclude<Fate, 'silence'>,
): void {
  if (fate === 'refused' || fate === 'broken') {
    const code = fate === 'refused' ? 'upstream_unreachable' : 'upstream_answered_badly'
    listener.lost(new Failure(code), context)
    return
  }
  const { status, text } = fate
  const answer = {
    status,
    header: () => null,
    length: text.length,
    whole: text,
    text: async () => text,
    stream: () => new Blob([text]).stream(),
  }
  listener.answered(answer, context)
}
