import { expect } from 'bun:test'
import type { UpstreamSpec } from '../../../src/core/network.ts'
import { rpc, startHeadgate, type TestHeadgate, until } from '../product/headgate.ts'
import type { FakeNode } from './fake-node.ts'

/** The report of `GET /api/networks` about one upstream. */
export type UpstreamReport = {
  name: string
  state: 'used' | 'standby' | 'excluded'
  reason: string
  last_fault: string | null
  head: number | null
  lag_blocks: number | null
  error_rate: number
  in_flight: number
}

type Wanted = (report: UpstreamReport) => boolean

export type PoolJourney = {
  gate: TestHeadgate
  /** Makes so many reads at once and expects each to be answered, and rightly. */
  reads(count: number): Promise<void>
  /** Reads until some of them have reached that node: a slow one gets fewer than others. */
  readsReach(node: FakeNode): Promise<void>
  report(name: string): Promise<UpstreamReport>
  /** Waits until every node has told its head and may be asked, which the start does not. */
  allHealthy(): Promise<void>
  /** Waits until the report of an upstream is as wanted, and returns it. */
  reported(name: string, wanted: Wanted): Promise<UpstreamReport>
  /** The same while reads keep coming, with which an upstream can prove itself. */
  reportedUnderLoad(name: string, wanted: Wanted): Promise<UpstreamReport>
  stop(): Promise<void>
}

const REPORT_MS_MAX = 60_000
const REPORT_EVERY_MS = 100
const READS_BETWEEN = 5
const READS_AT_ONCE = 20

/** For many gateways side by side: a machine that is busy with their polls makes nodes look bad. */
export const SELDOM_POLLED = { headPollMs: 30_000 }

type Options = {
  upstreams?: readonly Partial<UpstreamSpec>[]
  network?: Record<string, unknown>
  env?: Record<string, string>
  pace?: number
}

/** A gateway over these nodes, each of which knows the balance of every address. */
export async function poolJourney(
  nodes: readonly FakeNode[],
  options: Options = {},
): Promise<PoolJourney> {
  for (const node of nodes)
    node.answers.eth_getBalance ??= ([address]: [string]) => balanceOf(address)
  const gate = await startHeadgate({ nodes, ...options })
  let asked = 0
  const report = async (name: string) => {
    const { json } = await gate.api('GET', '/api/networks')
    const upstreams: UpstreamReport[] = json.data[0].upstreams
    const found = upstreams.find((upstream) => upstream.name === name)
    if (!found) throw new Error(`no upstream ${name}`)
    return found
  }
  const reads = async (count: number) => {
    const calls = Array.from({ length: count }, () => {
      const address = addressAt(++asked)
      return { address, answered: gate.post(rpc('eth_getBalance', [address, 'latest'], asked)) }
    })
    for (const { address, answered } of calls) {
      const { status, json } = await answered
      expect({ status, result: json?.result, error: json?.error }).toEqual({
        status: 200,
        result: balanceOf(address),
        error: undefined,
      })
    }
  }
  const awaitReport = async (name: string, wanted: Wanted, readsBetween: number) => {
    const endsAtMs = Date.now() + REPORT_MS_MAX
    for (;;) {
      const told = await report(name)
      if (wanted(told)) return told
      if (Date.now() > endsAtMs) throw new Error(`never reported: ${JSON.stringify(told)}`)
      await reads(readsBetween)
      // The management API is limited by the second, so it is not asked all the time.
      await Bun.sleep(REPORT_EVERY_MS)
    }
  }
  return {
    gate,
    report,
    reads,
    readsReach(node) {
      const before = node.callsOf('eth_getBalance')
      const isReached = async () => {
        await reads(READS_AT_ONCE)
        return node.callsOf('eth_getBalance') > before
      }
      return until(isReached, `reads reach ${node.name}`)
    },
    async allHealthy() {
      // Before the first head, every upstream counts as good.
      const isHealthy: Wanted = ({ state, head }) => state !== 'excluded' && head !== null
      for (const { name } of nodes) await awaitReport(name, isHealthy, 0)
    },
    reported: (name, wanted) => awaitReport(name, wanted, 0),
    reportedUnderLoad: (name, wanted) => awaitReport(name, wanted, READS_BETWEEN),
    async stop() {
      await gate.stop()
      for (const node of nodes) node.stop()
    },
  }
}

export function addressAt(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

/** The balance that an honest node knows; each address has its own. */
export function balanceOf(address: string): string {
  return `0x${(BigInt(address) + 7n).toString(16)}`
}
