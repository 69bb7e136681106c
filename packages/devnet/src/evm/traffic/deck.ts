import { CARD_MOVES } from './card-moves.ts'
import { POOL_MOVES } from './pool-moves.ts'
import * as protocols from './protocol-moves.ts'
import { seededChoices } from './seeded-choices.ts'
import * as tokens from './token-moves.ts'
import type { Move } from './turn.ts'

/** How often each move comes in one round of the deck. */
const COUNTS: readonly (readonly [count: number, move: Move])[] = [
  [8, tokens.sendEther],
  [9, tokens.sendToken],
  [3, tokens.approve],
  [3, tokens.takeApproved],
  [1, tokens.issue],
  [1, tokens.redeem],
  [2, tokens.wrap],
  [2, tokens.unwrap],
  [8, POOL_MOVES.swap],
  [3, POOL_MOVES.swapTwice],
  [3, CARD_MOVES.mintCard],
  [2, CARD_MOVES.sendCard],
  [3, CARD_MOVES.buyCard],
  [1, CARD_MOVES.approveCard],
  [1, protocols.createVault],
  [1, protocols.createVaultAt],
  [1, protocols.deployVault],
  [1, POOL_MOVES.createPool],
  [2, protocols.shareEther],
  [1, protocols.delegate],
  [2, tokens.overdraw],
  [1, protocols.runOutOfGas],
  [1, POOL_MOVES.swapAtNoPrice],
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
 * The moves in the order in which they come, round after round: whatever somebody looks for is
 * there within one round, and no two rounds of the same few moves follow each other.
 */
export const DECK: readonly Move[] = COUNTS.flatMap(([count, move], row) =>
  Array.from({ length: count }, (_, at) => ({
    move,
    // The same moves lie far from each other; which comes first is as good as chance.
    place: (at + seededChoices(row, 0).between(0, 999) / 1000) / count,
  })),
)
  .toSorted((one, other) => one.place - other.place)
  .map(({ move }) => move)
