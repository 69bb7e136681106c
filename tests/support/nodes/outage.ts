import type { UpstreamSpec } from '../../../src/core/network.ts'
import { type FakeNode, NodeError, replyInBytes, startFakeNode } from './fake-node.ts'
import { balanceOf, type PoolJourney, poolJourney } from './pool-journey.ts'
import { startTcpNode, type TcpNode } from './tcp-node.ts'

export type Outage = { bad: TcpNode; good: FakeNode; journey: PoolJourney }

/** Tests wait more than they work, but too many gateways at once would make healthy nodes slow. */
const OUTAGES_AT_ONCE_MAX = 6

/** For tests of outages, which take seconds and wait for their turn. */
export const OUTAGE_MS_MAX = 90_000

/** Nodes rest for seconds before they are tried again, and nobody has to wait for that. */
export const OUTAGE_PACE = 2

let running = 0
const waiting: (() => void)[] = []

/** For tests that count probes: after the first round polls bear no witness for a node. */
export const UNPOLLED = { headPollMs: 600_000 }

/** A bad and a good node, both well at first; the good one is asked when the other cannot be. */
export async function outage(
  run: (given: Outage) => Promise<void>,
  ofBad: Partial<UpstreamSpec> = {},
  network: Record<string, unknown> = {},
): Promise<void> {
  if (running >= OUTAGES_AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve))
  running++
  const bad = await startTcpNode('bad')
  const good = startFakeNode('good')
  const journey = await poolJourney([bad, good], {
    upstreams: [ofBad, { priority: 1 }],
    network,
    pace: OUTAGE_PACE,
  })
  try {
    await journey.allHealthy()
    await journey.readsReach(bad)
    await run({ bad, good, journey })
  } finally {
    await journey.stop()
    running--
    waiting.shift()?.()
  }
}

export async function heal(bad: TcpNode): Promise<void> {
  bad.misbehave = null
  bad.sabotage = null
  bad.answers.eth_getBalance = ([address]: [string]) => balanceOf(address)
  await bad.mend()
}

/** Spoils every answer. */
export function always(answer: () => Response) {
  return (bad: TcpNode) => {
    bad.misbehave = answer
  }
}

/** Spoils reads only: polls are answered as ever. */
export function onReads(answer: () => Response | Promise<Response>) {
  return (bad: TcpNode) => {
    bad.misbehave = (method) => (method === 'eth_getBalance' ? answer() : null)
  }
}

/** Answers reads with this error, in an answer that is fine otherwise. */
export function saysOfReads(code: number, message: string) {
  return (bad: FakeNode) => {
    bad.answers.eth_getBalance = () => {
      throw new NodeError(code, message)
    }
  }
}

/** Answers everything with this error, polls too. */
export function saysAlways(code: number, message: string) {
  return (bad: FakeNode) => {
    const error = JSON.stringify({ code, message })
    bad.misbehave = (_method, body) => replyInBytes(body, `"error":${error}`)
  }
}

/** Sends these bytes instead of any answer. */
export function onTheWire(bytes: () => string, ending: 'end' | 'reset' | 'keep') {
  return (bad: TcpNode) => {
    bad.sabotage = () => ({ bytes: bytes(), ending })
  }
}
