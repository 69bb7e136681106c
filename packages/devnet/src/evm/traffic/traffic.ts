import { quantity, type RawBlock, type RawChain } from '../fork/raw-chain.ts'
import {
  type Draft,
  openTransactionContext,
  type TransactionContext,
} from './transaction-context.ts'
import { TRANSACTION_MIX } from './transaction-mix.ts'

/** Transactions of the chain's own, so that there is something to find in its blocks. */
export type Traffic = {
  transactionsPerBlock(): number
  set(transactionsPerBlock: number): void
  /** The chain's process is too large for more of it. */
  isResting(): boolean
  /** Mines a block that has them. None of them waits before it, and none after it. */
  around(mine: () => Promise<unknown>): Promise<void>
}

type Head = RawBlock & { baseFeePerGas: string }

type Needs = {
  chain: RawChain
  /** Transactions would be mined one by one, each in a block of its own. */
  isAutomining(): boolean
  /** The memory that the chain's process has. */
  memoryBytes(): number
}

/** The chain keeps every block in memory, some 20 KB for each of these transactions. */
const MEMORY_BYTES_MAX = 1.5 * 2 ** 30

/** Below the tip that wallets offer, so that users come first. */
const TIP_WEI = { least: 1_000_000, most: 500_000_000 }

/** A transaction may be refused; a chain that refuses all of them is not asked for ever. */
const TURNS_PER_TRANSACTION_MAX = 3

export function openTraffic(needs: Needs, first: number): Traffic {
  const { chain, isAutomining } = needs
  let perBlock = first

  const isResting = () => perBlock > 0 && needs.memoryBytes() > MEMORY_BYTES_MAX

  const head = () => chain.result<Head>('eth_getBlockByNumber', 'latest', false)

  const sendAll = async (): Promise<string[]> => {
    const { number, baseFeePerGas } = await head()
    const height = Number(number) + 1
    const sent: string[] = []
    const turnsMax = perBlock * TURNS_PER_TRANSACTION_MAX
    for (let place = 0; place < turnsMax && sent.length < perBlock; place++) {
      const context = openTransactionContext(chain, height, place)
      const make = TRANSACTION_MIX[(height * perBlock + place) % TRANSACTION_MIX.length]
      const drafts = (await make?.(context)) ?? []
      for (const draft of drafts.slice(0, perBlock - sent.length)) {
        const hash = await send(chain, withFees(context, draft, BigInt(baseFeePerGas)))
        if (hash !== null) sent.push(hash)
      }
    }
    return sent
  }

  return {
    transactionsPerBlock: () => perBlock,
    isResting,
    set(transactionsPerBlock) {
      perBlock = transactionsPerBlock
    },
    async around(mine) {
      if (perBlock === 0 || isAutomining() || isResting()) return void (await mine())
      const sent = await sendAll()
      try {
        await mine()
      } finally {
        await dropLeft(chain, sent, (await head()).transactions)
      }
    },
  }
}

/** The hash; null when the chain refuses it, which is no loss: other moves follow. */
async function send(chain: RawChain, transaction: object): Promise<string | null> {
  const answer = JSON.parse((await chain.ask('eth_sendTransaction', [transaction])) ?? '{}')
  return typeof answer.result === 'string' ? answer.result : null
}

/** Users' transactions may have filled the block; the last ones go first, to leave no gaps. */
async function dropLeft(chain: RawChain, sent: readonly string[], mined: readonly string[]) {
  const inBlock = new Set(mined)
  for (const hash of sent.toReversed()) {
    if (!inBlock.has(hash)) await chain.ask('hardhat_dropTransaction', [hash])
  }
}

/** Most are of type 2, and some of the older types, as on any chain. */
function withFees({ choices }: TransactionContext, draft: Draft, baseFeeWei: bigint): object {
  const { value = 0n, gas, ...rest } = draft
  const transaction = { ...rest, value: quantity(value), gas: quantity(gas) }
  const tip = BigInt(choices.between(TIP_WEI.least, TIP_WEI.most))
  const kind = choices.between(0, 9)
  if (draft.authorizationList !== undefined || kind > 2) {
    const fees = {
      maxFeePerGas: quantity(baseFeeWei * 2n + tip),
      maxPriorityFeePerGas: quantity(tip),
    }
    return { ...transaction, ...fees }
  }
  // From one block to the next the base fee rises by an eighth at most.
  const gasPrice = quantity((baseFeeWei * 9n) / 8n + tip)
  if (kind > 0 || draft.to === undefined) return { ...transaction, gasPrice }
  return { ...transaction, gasPrice, accessList: [{ address: draft.to, storageKeys: [] }] }
}
