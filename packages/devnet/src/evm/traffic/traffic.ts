import { seededChoices } from '../../seeded-choices.ts'
import { quantity, type RawBlock, type RawChain } from '../fork/raw-chain.ts'
import { NFT_TRANSACTIONS } from './nft-transactions.ts'
import { POOL_TRANSACTIONS } from './pool-transactions.ts'
import * as protocols from './protocol-transactions.ts'
import * as tokens from './token-transactions.ts'
import {
  type Draft,
  openTransactionContext,
  type TransactionContext,
  type TransactionMaker,
} from './transaction-context.ts'

export type Traffic = ReturnType<typeof openTraffic>

type Head = RawBlock & { baseFeePerGas: string }

type Needs = {
  chain: RawChain
  /** Transactions would be mined one by one, each in a block of its own. */
  isAutomining(): boolean
  /** The memory that the chain's process has. */
  memoryBytes(): number
  transactionsPerBlock: number
}

/** The chain keeps every block in memory, some 20 KB for each of these transactions. */
const MEMORY_BYTES_MAX = 1.5 * 2 ** 30

/** Below the tip that wallets offer, so that users come first. */
const TIP_WEI = { least: 1_000_000, most: 500_000_000 }

/** A transaction may be refused; a chain that refuses all of them is not asked for ever. */
const TURNS_PER_TRANSACTION_MAX = 3

/** Transactions of the chain's own, so that there is something to find in its blocks. */
export function openTraffic(needs: Needs) {
  const { chain, isAutomining } = needs
  let perBlock = needs.transactionsPerBlock

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
    /** The chain's process is too large for more of it. */
    isResting,
    set(transactionsPerBlock: number) {
      perBlock = transactionsPerBlock
    },
    /** Mines a block that has them. None of them waits before it, and none after it. */
    async around(mine: () => Promise<unknown>): Promise<void> {
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

const COUNTS: readonly (readonly [count: number, make: TransactionMaker])[] = [
  [8, tokens.sendEther],
  [9, tokens.sendToken],
  [3, tokens.approve],
  [3, tokens.takeApproved],
  [1, tokens.issue],
  [1, tokens.redeem],
  [2, tokens.wrap],
  [2, tokens.unwrap],
  [8, POOL_TRANSACTIONS.swap],
  [3, POOL_TRANSACTIONS.swapTwice],
  [3, NFT_TRANSACTIONS.mintNft],
  [2, NFT_TRANSACTIONS.sendNft],
  [3, NFT_TRANSACTIONS.buyNft],
  [1, NFT_TRANSACTIONS.approveNft],
  [1, protocols.createVault],
  [1, protocols.createVaultAt],
  [1, protocols.deployVault],
  [1, POOL_TRANSACTIONS.createPool],
  [2, protocols.shareEther],
  [1, protocols.delegate],
  [2, tokens.overdraw],
  [1, protocols.runOutOfGas],
  [1, POOL_TRANSACTIONS.swapAtNoPrice],
  [1, protocols.tellPrice],
  [1, protocols.propose],
  [1, protocols.vote],
  [1, protocols.execute],
  [1, protocols.executeFailing],
  [1, protocols.operate],
  [1, protocols.bridge],
  [1, protocols.liquidate],
  [1, protocols.upgrade],
]

/**
 * The kinds in the order in which they come, round after round: whatever somebody looks for is
 * there within one round, and no two rounds of the same few kinds follow each other.
 */
const TRANSACTION_MIX: readonly TransactionMaker[] = COUNTS.flatMap(([count, make], row) =>
  Array.from({ length: count }, (_, at) => ({
    make,
    // The same kinds lie far from each other; which comes first is as good as chance.
    place: (at + seededChoices(row, 0).between(0, 999) / 1000) / count,
  })),
)
  .toSorted((one, other) => one.place - other.place)
  .map(({ make }) => make)
