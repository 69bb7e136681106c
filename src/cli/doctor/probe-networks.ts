import { openSemaphore } from '../../core/async/semaphore.ts'
import type { Network, UpstreamSpec } from '../../core/network.ts'
import type { Sockets } from '../../ports/sockets.ts'
import { type NodeProbeNeeds, openNodeProbe, type ProbeLimits } from '../nodes/node-probe.ts'
import { blockAt, type Probing, probeEvm } from './probe-evm.ts'
import { probeSocket } from './probe-socket.ts'
import { probeSolana, slotOf } from './probe-solana.ts'
import type { UpstreamFacts } from './upstream-facts.ts'

type Needs = NodeProbeNeeds & {
  sockets: Sockets
  /** Tells of each step, for those who watch. */
  step(networkId: string, upstream: string, name: string): void
  limits?: ProbeLimits
}

export type NetworkFacts = { network: Network; upstreams: UpstreamFacts[] }

/** All that one upstream is asked, batches of calls counted as one. */
export const DOCTOR_LIMITS = { requestsMax: 60, callMs: 8000, totalMs: 60_000 }

/** The heads of a network are asked for at one moment, so that lag means lag. */
const HEAD_LIMITS = { requestsMax: 2, callMs: 5000, totalMs: 6000 }

/** Upstreams that are looked at side by side. */
const UPSTREAMS_AT_ONCE = 16

const WAITING_MAX = 100_000

/** Looks at every upstream of the networks, several at a time, each one call after the other. */
export async function probeNetworks(
  needs: Needs,
  networks: readonly Network[],
): Promise<NetworkFacts[]> {
  const turns = openSemaphore(UPSTREAMS_AT_ONCE, WAITING_MAX)
  return Promise.all(
    networks.map(async (network) => {
      const readers = network.upstreams.filter(({ sendsOnly }) => sendsOnly !== true)
      const looked = await Promise.all(
        readers.map(async (spec) => {
          const done = await turns.acquire()
          const facts = await probeUpstream(needs, network, spec)
          done?.()
          return facts
        }),
      )
      const upstreams = await Promise.all(
        looked.map((facts, at) => withHeadNow(needs, facts, readers[at] as UpstreamSpec)),
      )
      return { network, upstreams }
    }),
  )
}

async function probeUpstream(
  needs: Needs,
  network: Network,
  spec: UpstreamSpec,
): Promise<UpstreamFacts> {
  const step = (name: string) => needs.step(network.id, spec.name, name)
  const node = openNodeProbe(needs, spec, needs.limits ?? DOCTOR_LIMITS)
  const probing: Probing = { node, network, spec, step, nowMs: () => needs.clock.nowMs() }
  const facts = await (network.kind === 'evm' ? probeEvm(probing) : probeSolana(probing))
  const isUsable = facts.fault === null && facts.isChainRight
  if (isUsable) step('socket')
  const socket = isUsable ? await probeSocket(needs, network, spec) : facts.socket
  step('done')
  return { ...facts, socket, requests: node.requests, throttled: node.throttled }
}

async function withHeadNow(
  needs: Needs,
  facts: UpstreamFacts,
  spec: UpstreamSpec,
): Promise<UpstreamFacts> {
  if (facts.head === null) return facts
  const node = openNodeProbe(needs, spec, HEAD_LIMITS)
  const probing = { node, nowMs: () => needs.clock.nowMs() }
  const head = await (facts.kind === 'evm' ? blockAt(probing, 'latest') : slotOf(probing))
  return head === null ? facts : { ...facts, head }
}
