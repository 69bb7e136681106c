import { type AccessList, accessListOf, type TracedStep } from './access-list.ts'
import { errorText, INVALID_PARAMS, SERVER_ERROR } from './fork/raw-chain.ts'

/** Asks the chain for a method that it has; null when it chokes on it. */
type Ask = (method: string, params: readonly unknown[]) => Promise<string | null>

/** A text as the chain gives it: `{"result":…}` or `{"error":…}`; null when it chokes. */
type Composed = Promise<string | null>

type Block = { hash: string; number: string; transactions: readonly string[] }

/** The blocks of a method's first parameter: found, none, or what the chain says against it. */
type Found = Block | null | { said: string | null }

/** EDR runs a block anew for every transaction it traces, so this many take about a second. */
const TRACED_MAX = 200

const RESULT_START = '{"result":'
const HASH = /^0x[0-9a-f]{64}$/i
const TAG = /^(?:0x[0-9a-f]{1,64}|latest|earliest|safe|finalized|pending)$/

/** A call that reads its gas may touch something else each time; others need two rounds. */
const ROUNDS_MAX = 8
/** The steps of a loop that uses up all gas would take gigabytes. */
const STEPS_GAS_MAX = 2_000_000
const STEPS_ALONE = { disableMemory: true, disableStorage: true }

/** Methods of go-ethereum that EDR does not have, made of those it has. */
const COMPOSED: ReadonlyMap<string, (ask: Ask, params: readonly unknown[]) => Composed> = new Map([
  ['net_listening', async () => '{"result":true}'],
  ['eth_getBlockReceipts', blockReceipts],
  ['debug_traceBlockByNumber', traceBlock],
  ['debug_traceBlockByHash', traceBlock],
  ['eth_createAccessList', createAccessList],
])

/** Undefined for a method that is the chain's own. */
export function composedMethod(ask: Ask, method: string, params: unknown): Composed | undefined {
  return COMPOSED.get(method)?.(ask, Array.isArray(params) ? params : [])
}

async function blockReceipts(ask: Ask, [which]: readonly unknown[]): Composed {
  const block = await findBlock(ask, which)
  if (block === null) return '{"result":null}'
  if ('said' in block) return block.said
  const receipts: string[] = []
  for (const hash of block.transactions) {
    const text = resultIn(await ask('eth_getTransactionReceipt', [hash]))
    // While it was read, somebody may have had the chain take the block back.
    if (!text?.includes(block.hash)) return gone(block)
    receipts.push(text)
  }
  return `{"result":[${receipts.join()}]}`
}

async function traceBlock(ask: Ask, [which, config = {}]: readonly unknown[]): Composed {
  const block = await findBlock(ask, which)
  if (block === null) return errorText(SERVER_ERROR, `block ${nameOf(which)} not found`)
  if ('said' in block) return block.said
  if (Number(block.number) === 0) return errorText(SERVER_ERROR, 'genesis is not traceable')
  if (block.transactions.length > TRACED_MAX) {
    const advice = `a block of more than ${TRACED_MAX} transactions is traced one by one here`
    return errorText(SERVER_ERROR, `${advice} (debug_traceTransaction)`)
  }
  const traces: string[] = []
  for (const txHash of block.transactions) {
    const answer = await ask('debug_traceTransaction', [txHash, config])
    const text = resultIn(answer)
    // A fault of the config shows with the first transaction as with any.
    if (text === null) return answer
    traces.push(`{"txHash":"${txHash}","result":${text}}`)
  }
  const now = await findBlock(ask, block.hash)
  return now === null ? gone(block) : `{"result":[${traces.join()}]}`
}

type Traced = { failed: boolean; gas: number; structLogs: TracedStep[] }

/** Calls again with what it touched until that is all it touches, since a list has its own cost. */
async function createAccessList(ask: Ask, [given, which = 'latest']: readonly unknown[]): Composed {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return errorText(INVALID_PARAMS, 'missing call')
  }
  if (blockName(which) === null) return errorText(INVALID_PARAMS, 'invalid block')
  const call = given as Record<string, unknown>
  const framed = await ask('debug_traceCall', [call, which, { tracer: 'callTracer' }])
  const frame = resultIn(framed)
  if (frame === null) return framed
  const { from, to, gasUsed } = JSON.parse(frame) as { from: string; to?: string; gasUsed: string }
  if (Number(gasUsed) > STEPS_GAS_MAX) {
    return errorText(
      SERVER_ERROR,
      `a call that uses more than ${STEPS_GAS_MAX} gas is too long here`,
    )
  }
  let accessList = (call.accessList ?? []) as AccessList
  for (let round = 1; ; round++) {
    const answer = await ask('debug_traceCall', [{ ...call, accessList }, which, STEPS_ALONE])
    const text = resultIn(answer)
    if (text === null) return answer
    const { failed, gas, structLogs } = JSON.parse(text) as Traced
    const touched = accessListOf(structLogs, from, to ?? from)
    const isSame = JSON.stringify(touched) === JSON.stringify(accessList)
    accessList = touched
    if (!isSame && round < ROUNDS_MAX) continue
    const isRevert = structLogs.at(-1)?.op === 'REVERT'
    const error = failed ? { error: isRevert ? 'execution reverted' : 'execution failed' } : {}
    const result = { accessList, ...error, gasUsed: `0x${gas.toString(16)}` }
    return JSON.stringify({ result })
  }
}

/** Takes what go-ethereum takes: a number, a tag, a hash, or an object with one of them. */
function blockName(which: unknown): string | null {
  const { blockHash, blockNumber } = (which ?? {}) as Record<string, unknown>
  const name = blockHash ?? blockNumber ?? which
  return typeof name === 'string' && (HASH.test(name) || TAG.test(name)) ? name : null
}

async function findBlock(ask: Ask, which: unknown): Promise<Found> {
  const named = blockName(which)
  if (named === null) return { said: errorText(INVALID_PARAMS, 'invalid block') }
  // A pending block has no receipts yet, and no traces.
  if (named === 'pending') return null
  const method = HASH.test(named) ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const answer = await ask(method, [named, false])
  const text = resultIn(answer)
  return text === null ? { said: answer } : (JSON.parse(text) as Block | null)
}

/** The JSON of a result as it is, no digit changed; null for an error. */
function resultIn(answer: string | null): string | null {
  return answer?.startsWith(RESULT_START) ? answer.slice(RESULT_START.length, -1) : null
}

function gone({ hash }: Block): string {
  return errorText(SERVER_ERROR, `block ${hash} is no longer on the chain`)
}

function nameOf(which: unknown): string {
  return typeof which === 'string' && !HASH.test(which) ? `#${which}` : String(which)
}
