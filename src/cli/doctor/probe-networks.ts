import { openSemaphore } from '../../core/async/semaphore.ts'
import { within } from '../../core/async/within.ts'
import type { Network, UpstreamSpec } from '../../core/network.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Outbound } from '../../ports/outbound.ts'
import type { Sockets } from '../../ports/sockets.ts'
import { withoutCredentials } from '../../upstream/node/without-credentials.ts'
import { readEvmMessage } from '../../upstream/subscription/evm-session.ts'
import { openNodeProbe, type ProbeLimits } from '../nodes/node-probe.ts'
import { blockAt, type Probing, probeEvm } from './probe-evm.ts'
import { probeSolana, slotOf } from './probe-solana.ts'
import type { UpstreamFacts } from './upstream-facts.ts'

type Doctor = {
  clock: Clock
  outbound: Outbound
  sockets: Sockets
  step(networkId: string, upstream: string, name: string): void
  limits?: ProbeLimits
}

export type NetworkFacts = { network: Network; upstreams: UpstreamFacts[] }

/** All that one upstream is asked, batches of calls counted as one. */
export const DOCTOR_LIMITS = { requestsMax: 60, callMs: 8000, totalMs: 60_000 }

/** The heads of a network are asked for at one moment, so that lag means lag. */
const HEAD_LIMITS = { requestsMax: 2, callMs: 5000, totalMs: 6000 }

const UPSTREAMS_AT_ONCE = 16

const WAITING_MAX = 100_000

/** Looks at every upstream of the networks, several at a time, each one call after the other. */
export async function probeNetworks(
  doctor: Doctor,
  networks: readonly Network[],
): Promise<NetworkFacts[]> {
  const turns = openSemaphore(UPSTREAMS_AT_ONCE, WAITING_MAX)
  return Promise.all(
    networks.map(async (network) => {
      const readers = network.upstreams.filter(({ sendsOnly }) => sendsOnly !== true)
      const looked = await Promise.all(
        readers.map(async (spec) => {
          const done = await turns.acquire()
          const facts = await probeUpstream(doctor, network, spec)
          done?.()
          return facts
        }),
      )
      const upstreams = await Promise.all(
        looked.map((facts, at) => withHeadNow(doctor, facts, readers[at] as UpstreamSpec)),
      )
      return { network, upstreams }
    }),
  )
}

async function probeUpstream(
  doctor: Doctor,
  network: Network,
  spec: UpstreamSpec,
): Promise<UpstreamFacts> {
  const step = (name: string) => doctor.step(network.id, spec.name, name)
  const node = openNodeProbe(doctor.clock, doctor.outbound, spec, doctor.limits ?? DOCTOR_LIMITS)
  const probing: Probing = { node, network, spec, step, nowMs: () => doctor.clock.nowMs() }
  const facts = await (network.kind === 'evm' ? probeEvm(probing) : probeSolana(probing))
  const isUsable = facts.fault === null && facts.isChainRight
  if (isUsable) step('socket')
  const socket = isUsable ? await probeSocket(doctor, network, spec) : facts.socket
  step('done')
  return { ...facts, socket, requests: node.requests, throttled: node.throttled }
}

async function withHeadNow(
  doctor: Doctor,
  facts: UpstreamFacts,
  spec: UpstreamSpec,
): Promise<UpstreamFacts> {
  if (facts.head === null) return facts
  const node = openNodeProbe(doctor.clock, doctor.outbound, spec, HEAD_LIMITS)
  const probing = { node, nowMs: () => doctor.clock.nowMs() }
  const head = await (facts.kind === 'evm' ? blockAt(probing, 'latest') : slotOf(probing))
  return head === null ? facts : { ...facts, head }
}

const SOCKET_MS_MAX = 8000
const MESSAGE_CHARS_MAX = 1024 * 1024

/** Subscribes to new heads, or slots; `works`, `none` without an address, or why not. */
async function probeSocket(
  { clock, sockets }: Doctor,
  { kind }: Network,
  { ws, headers = {} }: UpstreamSpec,
): Promise<string> {
  if (ws === undefined) return 'none'
  const outcome = Promise.withResolvers<string>()
  const [method, params] = kind === 'evm' ? ['eth_subscribe', ['newHeads']] : ['slotSubscribe', []]
  const socket = sockets.open(
    { ...withoutCredentials(ws, headers), messageCharsMax: MESSAGE_CHARS_MAX },
    {
      opened: () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })),
      received(text) {
        const message = readEvmMessage(text)
        if (message?.kind !== 'answer' || message.id !== 1) return
        outcome.resolve(message.result === undefined ? 'refuses to subscribe' : 'works')
      },
      closed: (reason) => outcome.resolve(reason),
    },
  )
  const said = await within(clock, SOCKET_MS_MAX, outcome.promise, () => 'timed_out')
  socket.close()
  return said
}
