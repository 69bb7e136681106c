import type { Block, BlockWants } from '../../../src/core/chain/block.ts'
import type { Network, UpstreamSpec } from '../../../src/core/network.ts'
import type { LogFields } from '../../../src/ports/telemetry.ts'
import { readBlock } from '../../../src/upstream/blocks/block-reader.ts'
import { quietTelemetry } from '../basics/quiet-telemetry.ts'
import { advanceUntil } from '../basics/test-clock.ts'
import type { RawParts } from '../blocks/raw-block.ts'
import { NodeError } from './fake-node.ts'
import { openScriptedNetwork, type ScriptedNetwork } from './scripted-network.ts'
import type { ScriptedCall } from './scripted-outbound.ts'

/** Gives a value, throws a NodeError, or returns a Status or NEVER. */
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
export type BlockNetwork = ScriptedNetwork & {
  /** Takes a call away from its node when it returns true. */
  misbehave: (call: ScriptedCall) => boolean
  /** The answers of each node. */
  answers: Record<string, Answers>
  /** Log lines of the reader, and the disagreements that it counted. */
  told: LogFields[]
  counted(): number
  /** Methods of the calls for parts of a block, in order. */
  asked(): string[]
  /** The same calls as `name method`. */
  askedByNode(): string[]
  paramsOf(method: string): unknown[][]
  forget(): void
  /** Moves time on until the work is done. */
  complete<T>(work: Promise<T>): Promise<T>
  read(ref: RawParts['ref'], wants: BlockWants, preferred?: string): Promise<Block | null>
  /** Reads while time moves on, in steps, until it is done. */
  readInTime(ref: RawParts['ref'], wants: BlockWants, preferred?: string): Promise<Block | null>
}

type NodeSpec = Partial<UpstreamSpec> & { name: string }

/** Nodes without a block; the test says what each of them answers. */
export async function openBlockNetwork(
  specs: readonly NodeSpec[],
  members: Partial<Network> = {},
): Promise<BlockNetwork> {
  const scripted = await openScriptedNetwork(specs, members)
  const { outbound, clock, network } = scripted
  for (const { name } of specs) scripted.node(name).chainId = members.chainId ?? 1
  const told: LogFields[] = []
  const telemetry = quietTelemetry()
  telemetry.log = (_level, event, fields) => void told.push({ event, ...fields })
  const answerPoll = outbound.auto
  outbound.auto = (call) =>
    answerPoll(call) || opened.misbehave(call) || answerCall(opened.answers, call)
  // On chains other than the usual one, the first round found every node on the wrong chain.
  await clock.advance(8000)
  let forgotten = outbound.calls.length
  const calls = () => outbound.calls.slice(forgotten).filter((call) => !isPoll(call))

  const opened: BlockNetwork = {
    ...scripted,
    misbehave: () => false,
    answers: {},
    told,
    counted: () => telemetry.counts.get('headgate_block_disagreements_total') ?? 0,
    asked: () => calls().map(({ method }) => method),
    askedByNode: () => calls().map(({ url, method }) => `${new URL(url).hostname} ${method}`),
    paramsOf: (method) =>
      calls()
        .filter((call) => call.method === method)
        .map(({ params }) => params),
    forget() {
      forgotten = outbound.calls.length
    },
    read(ref, wants, preferred) {
      const upstream = preferred === undefined ? null : scripted.upstream(preferred)
      return readBlock({ ...network, telemetry }, ref, wants, upstream)
    },
    complete: (work) => advanceUntil(clock, work),
    readInTime: (...read) => opened.complete(opened.read(...read)),
  }
  return opened
}

/** Nodes that all have these blocks, the last of them being the head of all. */
export async function openNetworkOf(
  blocks: readonly RawParts[],
  nodeNames: readonly string[] = ['node-a'],
): Promise<BlockNetwork> {
  const opened = await openBlockNetwork(nodeNames.map((name) => ({ name, traces: true })))
  const served = blocks.map((parts) => ({ parts, answers: serving(parts) }))
  const answer =
    (method: string): Answer =>
    ([which, whole]) => {
      const found = served.find(({ parts }) => [parts.ref.hash, parts.block.number].includes(which))
      return found?.answers[method]?.([found.parts.ref.hash, whole]) ?? null
    }
  const answers: Answers = {
    eth_getBlockByNumber: answer('eth_getBlockByHash'),
    eth_getBlockByHash: answer('eth_getBlockByHash'),
    eth_getBlockReceipts: answer('eth_getBlockReceipts'),
    debug_traceBlockByHash: answer('debug_traceBlockByHash'),
  }
  for (const name of nodeNames) {
    opened.answers[name] = answers
    opened.node(name).block = blocks.at(-1)?.block
  }
  await opened.clock.advance(10_000)
  opened.forget()
  return opened
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

function answerCall(answers: Record<string, Answers>, call: ScriptedCall): boolean {
  const answer = answers[new URL(call.url).hostname]?.[call.method]
  try {
    if (!answer) throw new NodeError(-32601, `the method ${call.method} does not exist`)
    const given = answer(call.params)
    if (given === NEVER) return false
    if (given instanceof Status) call.status(given.code)
    else call.result(given)
  } catch (thrown) {
    if (!(thrown instanceof NodeError)) throw thrown
    call.error(thrown.code, thrown.message)
  }
  return true
}

function isPoll({ method, params: [first] }: ScriptedCall): boolean {
  return method === 'eth_chainId' || first === 'latest' || first === 'finalized'
}
