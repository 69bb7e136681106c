import type { Block, BlockWants } from '../../src/core/chain/block.ts'
import type { Network, UpstreamSpec } from '../../src/core/network.ts'
import type { LogFields } from '../../src/ports/telemetry.ts'
import { readBlock } from '../../src/upstream/blocks/block-reader.ts'
import { NodeSays } from './fake-node.ts'
import { quietTelemetry } from './quiet-telemetry.ts'
import type { RawParts } from './raw-block.ts'
import { openScriptedNetwork, type ScriptedNetwork } from './scripted-network.ts'

/** Gives a value, throws a NodeSays or an HTTP status, or leaves the call waiting. */
type Answer = (params: unknown[]) => unknown

export type Answers = Record<string, Answer>

/** Returned by an answer that does not come. */
export const NEVER = Symbol('never')

/** Returned by an answer that is nothing but a status. */
export class Status {
  readonly code: number

  constructor(code: number) {
    this.code = code
  }
}

/** A network of nodes that answer about blocks as the test says. */
export type BlockNodes = ScriptedNetwork & {
  answers: Record<string, Answers>
  /** Log lines of the reader, and what it counted. */
  told: LogFields[]
  counted(): number
  /** `name method` of each call for parts of a block, in order. */
  asked(): string[]
  paramsOf(method: string): unknown[][]
  forget(): void
  read(ref: RawParts['ref'], wants: BlockWants, preferred?: string): Promise<Block | null>
  /** The same with time moving on, in steps, until it is done. */
  readInTime(ref: RawParts['ref'], wants: BlockWants, preferred?: string): Promise<Block | null>
}

const STEP_MS = 50
const TIME_MS_MAX = 60_000

export async function openBlockNodes(
  specs: readonly (Partial<UpstreamSpec> & { name: string })[],
  members: Partial<Network> = {},
): Promise<BlockNodes> {
  const scripted = await openScriptedNetwork(specs, members)
  const { outbound, clock, network } = scripted
  for (const { name } of specs) scripted.node(name).chainId = members.chainId ?? 1
  const answers: Record<string, Answers> = {}
  const told: LogFields[] = []
  const telemetry = quietTelemetry()
  telemetry.log = (_level, event, fields) => void told.push({ event, ...fields })
  const polls = outbound.auto
  outbound.auto = (call) => {
    if (polls(call)) return true
    const answer = answers[new URL(call.url).hostname]?.[call.method]
    try {
      if (!answer) throw new NodeSays(-32601, `the method ${call.method} does not exist`)
      const given = answer(call.params)
      if (given === NEVER) return false
      if (given instanceof Status) call.status(given.code)
      else call.result(given)
    } catch (thrown) {
      if (!(thrown instanceof NodeSays)) throw thrown
      call.error(thrown.code, thrown.message)
    }
    return true
  }
  // With other chains than the usual, the first round found every node on the wrong one.
  await clock.advance(8000)
  let forgotten = outbound.calls.length
  const calls = () =>
    outbound.calls.slice(forgotten).filter(({ method, params }) => !isPoll(method, params))

  const read: BlockNodes['read'] = (ref, wants, preferred) => {
    const upstream = preferred === undefined ? null : scripted.upstream(preferred)
    return readBlock({ service: network, clock, telemetry }, ref, wants, upstream)
  }
  return {
    ...scripted,
    answers,
    told,
    counted: () => telemetry.counts.get('headgate_block_disagreements_total') ?? 0,
    asked: () => calls().map(({ url, method }) => `${new URL(url).hostname} ${method}`),
    paramsOf: (method) =>
      calls()
        .filter((call) => call.method === method)
        .map(({ params }) => params),
    forget() {
      forgotten = outbound.calls.length
    },
    read,
    async readInTime(ref, wants, preferred) {
      const reading = read(ref, wants, preferred)
      let done = false
      const settled = () => {
        done = true
      }
      reading.then(settled, settled)
      for (let passedMs = 0; !done; passedMs += STEP_MS) {
        if (passedMs > TIME_MS_MAX) throw new Error('it takes for ever')
        await clock.advance(STEP_MS)
      }
      return reading
    },
  }
}

/** The answers of a node that has this block and can do everything. */
export function serving({ ref, block, receipts, traces }: RawParts): Answers {
  const known = (hash: unknown) => hash === ref.hash
  const hashes = receipts.map(({ transactionHash }) => transactionHash)
  const at = (hash: unknown) => hashes.indexOf(hash as string)
  return {
    eth_getBlockByHash: ([hash, whole]) => {
      if (!known(hash)) return null
      return whole ? block : { ...block, transactions: hashes }
    },
    eth_getBlockReceipts: ([hash]) => (known(hash) ? receipts : null),
    eth_getTransactionReceipt: ([hash]) => receipts[at(hash)] ?? null,
    debug_traceBlockByHash: ([hash]) => (known(hash) ? traces : null),
    debug_traceTransaction: ([hash]) => traces[at(hash)]?.result ?? null,
  }
}

function isPoll(method: string, params: unknown[]): boolean {
  return method === 'eth_chainId' || (method === 'eth_getBlockByNumber' && params[0] === 'latest')
}
