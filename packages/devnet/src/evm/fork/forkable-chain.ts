import type { DevnetChange, DevnetState } from '../../devnet-control.ts'
import { openReadWriteLock } from '../../evm/fork/read-write-lock.ts'
import { TEST_ACCOUNTS } from '../test-accounts.ts'
import { type Controlled, chainControl } from './chain-controls.ts'
import { changedMethod } from './changed-methods.ts'
import { type ChainPace, type ForkNeeds, type ForkParts, openForkParts } from './fork-parts.ts'
import { ChainRefusal, type RawChain, type RawTransaction } from './raw-chain.ts'
import { dropBlocks, reorganise } from './reorganise.ts'

export type ForkableChain = Pick<RawChain, 'ask'>

/** The chain has the keys of traffic's accounts as well, which nobody else is to use. */
const ACCOUNTS = JSON.stringify({ result: TEST_ACCOUNTS.map(([address]) => address) })

type Options = ChainPace & { chainId: number }

/**
 * The chain with a way back from each of its last blocks. Calls that change it run alone, so that
 * nobody sees a reorganisation half done: all questions are asked before it or after it.
 */
export function openForkableChain(needs: ForkNeeds, { chainId, ...pace }: Options): ForkableChain {
  const { chain } = needs
  const lock = openReadWriteLock()
  const parts = openForkParts(needs, lock, pace)
  const { miner } = parts
  const state = () => stateOf(parts, chainId)
  const thenState = (work: () => Promise<unknown>) =>
    lock.exclusive(async () => {
      await work()
      return state()
    })
  const controlled: Controlled = {
    state: () => lock.shared(state),
    mine: (blocks) => thenState(() => miner.mine(blocks)),
    reorganise: (wanted) =>
      thenState(() => withoutAutomine(parts, () => reorganise(parts, wanted))),
    drop: (height) => thenState(() => dropBlocks(parts, height)),
    change: (wanted) => thenState(async () => change(parts, wanted)),
    async send(transaction) {
      const answer = await ask('eth_sendTransaction', [transaction])
      const { result, error } = JSON.parse(answer ?? '{}')
      if (typeof result !== 'string') throw new ChainRefusal(error?.message ?? 'not sent')
      return result
    },
  }

  async function ask(method: string, params: unknown): Promise<string | null> {
    if (method === 'eth_accounts') return ACCOUNTS
    const control = chainControl(controlled, method, params)
    if (control) return control
    const changed = Array.isArray(params) ? changedMethod(method) : undefined
    if (changed) return lock.exclusive(() => changed(parts, params as unknown[]))
    return lock.shared(() => chain.ask(method, params))
  }
  return { ask }
}

function change({ interval, traffic }: ForkParts, wanted: DevnetChange): void {
  const { isHeld, blockTimeMs, transactionsPerBlock } = wanted
  if (transactionsPerBlock !== undefined) traffic.set(transactionsPerBlock)
  if (blockTimeMs !== undefined) interval.set({ minMs: blockTimeMs, maxMs: blockTimeMs })
  if (isHeld !== undefined) interval.hold(isHeld)
}

async function stateOf({ chain, history, interval, traffic }: ForkParts, chainId: number) {
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

/** Transactions that are sent again must wait for the block that is to have them. */
async function withoutAutomine(
  { chain, automine }: ForkParts,
  work: () => Promise<void>,
): Promise<void> {
  if (!automine.isOn) return work()
  await chain.result('evm_setAutomine', false)
  try {
    await work()
  } finally {
    await chain.result('evm_setAutomine', true)
  }
}
