import type { RawParts } from './raw-block.ts'
import { openScriptedNetwork, type ScriptedNetwork } from './scripted-network.ts'
import type { ScriptedCall } from './scripted-outbound.ts'
import type { TestClock } from './test-clock.ts'

export type BlockNetwork = ScriptedNetwork & {
  /** Takes a call away from the node when it returns true. */
  misbehave: (call: ScriptedCall) => boolean
  /** Methods that the nodes were asked, polls left out. */
  asked(): string[]
}

/** Long enough for every deadline of reading a block, in steps that let answers come in. */
const STEPS_MAX = 2_000
const STEP_MS = 50

/** A network whose nodes give these blocks, the last of them being the head of all. */
export async function openBlockNetwork(
  blocks: readonly RawParts[],
  nodeNames: readonly string[] = ['node-a'],
): Promise<BlockNetwork> {
  const network = await openScriptedNetwork(nodeNames.map((name) => ({ name, traces: true })))
  const { outbound } = network
  const answerPoll = outbound.auto
  const opened: BlockNetwork = {
    ...network,
    misbehave: () => false,
    asked: () => outbound.calls.filter((call) => !isPoll(call)).map(({ method }) => method),
  }
  outbound.auto = (call) => {
    if (isPoll(call)) return answerPoll(call)
    return opened.misbehave(call) || answer(call, blocks)
  }
  for (const name of nodeNames) network.node(name).block = blocks.at(-1)?.block
  await network.clock.advance(10_000)
  outbound.calls.length = 0
  return opened
}

/** Moves the clock on until the work is done. */
export async function advanceUntil<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  let done = false
  const ended = work.finally(() => {
    done = true
  })
  ended.catch(() => {})
  for (let step = 0; !done && step < STEPS_MAX; step++) await clock.advance(STEP_MS)
  return ended
}

function isPoll({ method, params }: ScriptedCall): boolean {
  return method === 'eth_chainId' || params[0] === 'latest' || params[0] === 'finalized'
}

function answer(call: ScriptedCall, blocks: readonly RawParts[]): boolean {
  const [which, whole] = call.params
  const parts = blocks.find(({ block }) => which === block.hash || which === block.number)
  if (call.method === 'eth_getBlockByNumber' || call.method === 'eth_getBlockByHash') {
    call.result(parts ? blockOf(parts, whole === true) : null)
  } else if (call.method === 'eth_getBlockReceipts') {
    call.result(parts?.receipts ?? null)
  } else if (call.method === 'debug_traceBlockByHash') {
    call.result(parts?.traces ?? null)
  } else {
    return false
  }
  return true
}

function blockOf({ block }: RawParts, whole: boolean): unknown {
  if (whole) return block
  return { ...block, transactions: block.transactions.map(({ hash }: { hash: string }) => hash) }
}
