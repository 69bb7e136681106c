import { numberToQuantity } from '../../../src/core/hex.ts'
import type { Network, UpstreamSpec } from '../../../src/core/network.ts'
import { openMachineSignals } from '../../../src/ports/driver-parts/machine-signals.ts'
import type { LogFields } from '../../../src/ports/telemetry.ts'
import { type OpenNetwork, openNetwork } from '../../../src/upstream/answers/open-network.ts'
import type { Upstream } from '../../../src/upstream/node/upstream.ts'
import {
  openSpendRegistry,
  type SpendRegistry,
} from '../../../src/upstream/spend/spend-registry.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'
import { type TestClock, testClock } from '../basics/test-clock.ts'
import { hashOf } from './fake-node.ts'
import { type ScriptedOutbound, scriptedOutbound } from './scripted-outbound.ts'
import { type ScriptedSockets, scriptedSockets } from './scripted-sockets.ts'

/** The answers of one upstream to polls. */
export type ScriptedNode = {
  chainId: number
  /** The block of `latest`. */
  block: unknown
  /** Given where it plays a Solana node. */
  genesisHash: string
  slot: number
  /** Polls stay unanswered. */
  silent: boolean
}

export type ScriptedNetwork = {
  clock: TestClock
  outbound: ScriptedOutbound
  sockets: ScriptedSockets
  network: OpenNetwork
  spends: SpendRegistry
  /** Log lines, the event's name among their fields. */
  log: LogFields[]
  /** State and reason of each line about a socket of heads. */
  socketLog(): unknown[][]
  node(name: string): ScriptedNode
  upstream(name: string): Upstream
}

export const POLL_MS = 4000

const USUAL = { priority: 0, traces: false, concurrencyMax: 64, batchMax: 0, timeoutMs: 10_000 }

/**
 * A network whose clock, nodes and sockets the test drives; polls are answered by `node`,
 * unless they are silent from the start.
 */
export async function openScriptedNetwork(
  specs: readonly (Partial<UpstreamSpec> & { name: string })[],
  members: Partial<Network> = {},
  silent: readonly string[] = [],
): Promise<ScriptedNetwork> {
  const clock = testClock()
  const outbound = scriptedOutbound()
  const sockets = scriptedSockets()
  const log: LogFields[] = []
  const nodes = new Map<string, ScriptedNode>()
  for (const { name } of specs) {
    const solana = { genesisHash: 'genesis', slot: 1000 }
    const isSilent = silent.includes(name)
    nodes.set(name, { chainId: 1, block: blockAt(1000), ...solana, silent: isSilent })
  }
  outbound.auto = (call) => {
    const node = nodes.get(new URL(call.url).hostname)
    if (!node || node.silent) return false
    if (call.method === 'eth_chainId') call.result(numberToQuantity(node.chainId))
    else if (call.params[0] === 'latest') call.result(node.block)
    else if (call.method === 'getGenesisHash') call.result(node.genesisHash)
    else if (call.method === 'getSlot') call.result(node.slot)
    else return false
    return true
  }
  const telemetry = {
    ...quietTelemetry(),
    log: (_level: string, event: string, fields: LogFields) => void log.push({ event, ...fields }),
  }
  const described: Network = {
    id: 'ETH_MAINNET',
    slug: 'eth-mainnet',
    kind: 'evm',
    chainId: 1,
    // Its blocks are made up.
    verify: 'off',
    blockTimeMs: 12_000,
    headPollMs: POLL_MS,
    headLagMsMax: 30_000,
    finalityDepth: 10,
    ...members,
    upstreams: specs.map((spec) => ({ ...USUAL, url: `http://${spec.name}/`, ...spec })),
  }
  const settings = { prices: {}, cacheBytesMax: 0, latestMaxAgeMs: 0 }
  const spends = openSpendRegistry(clock, telemetry)
  const signals = openMachineSignals()
  const drivers = { clock, signals, outbound, sockets, telemetry, spends }
  const network = openNetwork(drivers, described, settings)
  await clock.advance(10)
  return {
    clock,
    outbound,
    sockets,
    network,
    spends,
    log,
    socketLog: () =>
      log
        .filter(({ event }) => event === 'head_socket')
        .map(({ state, reason }) => [state, reason]),
    node: (name) => found(nodes.get(name)),
    upstream: (name) =>
      found(network.pool.selection.upstreams.find(({ spec }) => spec.name === name)),
  }
}

/** A block as a node tells it, on a chosen fork that leaves the usual chain right below it. */
export function blockAt(number: number, fork = 'aa') {
  return {
    number: numberToQuantity(number),
    hash: hashOf(number, fork),
    parentHash: hashOf(number - 1),
    timestamp: '0x6a0072c0',
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('no such upstream')
  return value
}
