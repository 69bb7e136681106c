import type { ForkableChain } from '../fork/forkable-chain.ts'

type Bend = (result: unknown) => unknown

/** Methods whose answers are bent; all others are answered truly, which makes it hard to find. */
const BENDS: Readonly<Record<string, Bend>> = {
  eth_getLogs: () => [],
  eth_getTransactionReceipt: withoutLogs,
  eth_getBlockReceipts: (result) => (Array.isArray(result) ? result.map(withoutLogs) : result),
  eth_getBalance: (result) => (typeof result === 'string' ? `${result}0` : result),
}

/** The chain as a node shows it that leaves out every log, and shows sixteenfold balances. */
export function lyingChain(chain: ForkableChain): ForkableChain {
  return {
    async ask(method, params) {
      const text = await chain.ask(method, params)
      const bend = BENDS[method]
      if (!bend || !text?.startsWith('{"result":')) return text
      const { result } = JSON.parse(text)
      return JSON.stringify({ result: bend(result) })
    },
  }
}

function withoutLogs(receipt: unknown): unknown {
  return typeof receipt === 'object' && receipt !== null ? { ...receipt, logs: [] } : receipt
}
