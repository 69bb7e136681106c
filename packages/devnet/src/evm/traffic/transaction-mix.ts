import { seededChoices } from '../../seeded-choices.ts'
import { NFT_TRANSACTIONS } from './nft-transactions.ts'
import { POOL_TRANSACTIONS } from './pool-transactions.ts'
import * as protocols from './protocol-transactions.ts'
import * as tokens from './token-transactions.ts'
import type { TransactionMaker } from './transaction-context.ts'

/** How often each kind comes in one round of the mix. */
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
export const TRANSACTION_MIX: readonly TransactionMaker[] = COUNTS.flatMap(([count, make], row) =>
  Array.from({ length: count }, (_, at) => ({
    make,
    // The same kinds lie far from each other; which comes first is as good as chance.
    place: (at + seededChoices(row, 0).between(0, 999) / 1000) / count,
  })),
)
  .toSorted((one, other) => one.place - other.place)
  .map(({ make }) => make)
