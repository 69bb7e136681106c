/** The limits of what a caller may ask of the EVM chain; the chain itself relies on them. */
export const DEVNET_LIMITS = {
  /** Blocks that are mined with one call. */
  mineMax: 100,
  /** Blocks that a reorganisation replaces. */
  depthMax: 32,
  /** Blocks that replace others. */
  blocksMax: 132,
  /** Blocks below the highest so far to which the chain is taken back. */
  dropMax: 1000,
  blockTimeMsMin: 10,
  blockTimeMsMax: 600_000,
  /** Transactions of the chain's own in a block: a third of what it has room for. */
  transactionsMax: 200,
  /** A value is one word of the machine. */
  valueBitsMax: 256n,
} as const

export const DEVNET_NODE_LIMITS = {
  /** Blocks that a node is made to lag behind. */
  lagMax: 1_000,
  stallMsMax: 600_000,
} as const

export const DEVNET_NODE_BEHAVIOURS = ['honest', 'lag', 'lie', 'fail', 'hang'] as const

export const SOLANA_DEVNET_LIMITS = {
  slotTimeMsMin: 10,
  slotTimeMsMax: 600_000,
  changesPerSlotMax: 5_000,
} as const
