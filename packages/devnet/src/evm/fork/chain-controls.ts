import type { DevnetChange, DevnetReorganisation, DevnetState } from '../../devnet-control.ts'
import type { ForkParts } from './fork-parts.ts'
import { ChainRefusal, type RawTransaction } from './raw-chain.ts'
import { dropBlocks, reorganise } from './reorganise.ts'
import { type SampleWanted, sampleTransaction } from './sample-token.ts'

/** Changes the chain; its answer is the state after it, with what this tells beside it. */
type Control = (parts: ForkParts, wanted: never) => Promise<unknown>

/** A value is one word of the machine. */
const VALUE_BITS_MAX = 256n

/**
 * Methods of ours, beside those of Hardhat, for the control of the chain alone: each takes one
 * object, which has been checked before.
 */
const CONTROLS: ReadonlyMap<string, Control> = new Map<string, Control>([
  ['headgate_state', async () => {}],
  ['headgate_mine', ({ miner }, { blocks }: { blocks: number }) => miner.mine(blocks)],
  ['headgate_reorganise', reorganiseChain],
  ['headgate_drop', (parts, { height }: { height: number }) => dropBlocks(parts, height)],
  ['headgate_change', change],
  ['headgate_send', sendSample],
])

/** Undefined for a method that is no control. */
export function chainControl(method: string) {
  const run = CONTROLS.get(method)
  return (
    run &&
    (async (parts: ForkParts, params: unknown): Promise<string> => {
      const [wanted = {}] = Array.isArray(params) ? params : []
      const told = await run(parts, wanted as never)
      const state = await stateOf(parts)
      return JSON.stringify({ result: told ? { ...told, state } : state })
    })
  )
}

/** Transactions that are sent again must wait for the block that is to have them. */
async function reorganiseChain(parts: ForkParts, wanted: DevnetReorganisation): Promise<void> {
  const { chain, automine } = parts
  if (!automine.isOn) return reorganise(parts, wanted)
  await chain.result('evm_setAutomine', false)
  try {
    await reorganise(parts, wanted)
  } finally {
    await chain.result('evm_setAutomine', true)
  }
}

async function change({ interval, traffic }: ForkParts, wanted: DevnetChange): Promise<void> {
  const { isHeld, blockTimeMs, transactionsPerBlock } = wanted
  if (transactionsPerBlock !== undefined) traffic.set(transactionsPerBlock)
  if (blockTimeMs !== undefined) interval.set({ minMs: blockTimeMs, maxMs: blockTimeMs })
  if (isHeld !== undefined) interval.hold(isHeld)
}

async function sendSample({ chain, checkpoints, automine }: ForkParts, wanted: SampleWanted) {
  if (BigInt(wanted.value ?? 0) >> VALUE_BITS_MAX > 0n) {
    throw new ChainRefusal(`value is a number of ${VALUE_BITS_MAX} bits at most`)
  }
  const { transaction, facts } = sampleTransaction(wanted)
  if (automine.isOn) await checkpoints.take()
  const transactionHash = await chain.result<string>('eth_sendTransaction', transaction)
  return { transactionHash, ...facts }
}

async function stateOf({ chain, chainId, history, interval, traffic }: ForkParts) {
  const blocks = await history.last()
  const head = blocks.findLast(({ replacedAtMs }) => replacedAtMs === null)
  const { minMs, maxMs } = interval.interval()
  const pending = await chain.result<RawTransaction[]>('eth_pendingTransactions')
  const state: DevnetState = {
    chainId,
    blockTimeMs: Math.round((minMs + maxMs) / 2),
    isHeld: interval.isHeld(),
    transactionsPerBlock: traffic.transactionsPerBlock(),
    isTrafficResting: traffic.isResting(),
    pendingTransactions: pending.length,
    head: { number: head?.number ?? 0, hash: head?.hash ?? '' },
    blocks,
  }
  return state
}
