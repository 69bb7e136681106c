import { openReadWriteLock } from '../../../../../src/core/async/read-write-lock.ts'
import type { DevnetState } from '../../../../../src/ports/devnet-control.ts'
import { type Controlled, chainControl } from './chain-controls.ts'
import { changedMethod } from './changed-methods.ts'
import { type ForkNeeds, type ForkParts, openForkParts } from './fork-parts.ts'
import { ChainRefusal, type RawChain, type RawTransaction } from './raw-chain.ts'
import { reorganise } from './reorganise.ts'

export type ForkableChain = Pick<RawChain, 'ask'>

/** `blockTimeMs` 0: blocks only on command. */
type Options = { chainId: number; blockTimeMs: number }

/**
 * The chain with a way back from each of its last blocks. Calls that change it run alone, so that
 * nobody sees a reorganisation half done: all questions are asked before it or after it.
 */
export function openForkableChain(
  needs: ForkNeeds,
  { chainId, blockTimeMs }: Options,
): ForkableChain {
  const { chain } = needs
  const lock = openReadWriteLock()
  const parts = openForkParts(needs, lock, blockTimeMs)
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
    hold: (isHeld) => thenState(async () => parts.interval.hold(isHeld)),
    async send(transaction) {
      const answer = await ask('eth_sendTransaction', [transaction])
      const { result, error } = JSON.parse(answer ?? '{}')
      if (typeof result !== 'string') throw new ChainRefusal(error?.message ?? 'not sent')
      return result
    },
  }

  async function ask(method: string, params: unknown): Promise<string | null> {
    const control = chainControl(controlled, method, params)
    if (control) return control
    const changed = Array.isArray(params) ? changedMethod(method) : undefined
    if (changed) return lock.exclusive(() => changed(parts, params as unknown[]))
    return lock.shared(() => chain.ask(method, params))
  }
  return { ask }
}

async function stateOf({ chain, history, interval }: ForkParts, chainId: number) {
  const blocks = await history.last()
  const head = blocks.findLast(({ replacedAtMs }) => replacedAtMs === null)
  const { minMs, maxMs } = interval.interval()
  const pending = await chain.result<RawTransaction[]>('eth_pendingTransactions')
  const state: DevnetState = {
    chainId,
    blockTimeMs: Math.round((minMs + maxMs) / 2),
    isHeld: interval.isHeld(),
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
