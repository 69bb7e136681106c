import type { Rejection } from '../core/errors.ts'

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

/** How a node of the development chain answers. */
export const DEVNET_NODE_BEHAVIOURS = ['honest', 'lag', 'lie', 'fail', 'hang'] as const

/** `blocks` is how many a lagging node is behind, and 0 for others. */
export type DevnetNodeChange = {
  behaviour: (typeof DEVNET_NODE_BEHAVIOURS)[number]
  blocks: number
}

export type DevnetNode = DevnetNodeChange & { name: string }

/** A block of the development chain; one that was replaced is known for a while. */
export type DevnetBlock = {
  number: number
  hash: string
  parentHash: string
  transactions: number
  timeMs: number
  /** Null for a canonical block. */
  replacedAtMs: number | null
}

export type DevnetState = {
  chainId: number
  /** 0: blocks only on command. */
  blockTimeMs: number
  isHeld: boolean
  /** Transactions of the chain's own. */
  transactionsPerBlock: number
  /** Blocks come without them: the chain's process has grown too large. */
  isTrafficResting: boolean
  pendingTransactions: number
  head: { number: number; hash: string }
  /** Lowest first; at one height replaced ones come before the canonical one. */
  blocks: readonly DevnetBlock[]
}

export type DevnetReorganisation = {
  depth: number
  /** More than `depth`. */
  blocks: number
  /** Transactions of replaced blocks are mined again, or are gone. */
  transactions: 'keep' | 'drop'
}

/** Absent: as it was. */
export type DevnetChange = {
  isHeld?: boolean
  blockTimeMs?: number
  transactionsPerBlock?: number
}

type DevnetSend = { kind: 'transfer' | 'log'; to: string | null; value: string | null }

export type DevnetSent = {
  transactionHash: string
  from: string
  to: string
  value: string
  /** The contract that emits the event; null for a transfer. */
  contract: string | null
  state: DevnetState
}

/**
 * The development chain, as those see it who break it on purpose. Each call answers with what is
 * then; a rejection says what the chain has against it, or that it does not answer.
 */
export interface DevnetControl {
  network: string
  state(): Promise<DevnetState | Rejection>
  mine(blocks: number): Promise<DevnetState | Rejection>
  /** One step: nobody sees it half done. */
  reorganise(wanted: DevnetReorganisation): Promise<DevnetState | Rejection>
  /** Takes the chain back to that height, as a node that was reset: nothing replaces the blocks. */
  drop(height: number): Promise<DevnetState | Rejection>
  change(wanted: DevnetChange): Promise<DevnetState | Rejection>
  send(wanted: DevnetSend): Promise<DevnetSent | Rejection>
  /** Every node with how it answers. */
  nodes(): Promise<readonly DevnetNode[] | Rejection>
  changeNode(name: string, wanted: DevnetNodeChange): Promise<readonly DevnetNode[] | Rejection>
  /** No node answers for so long. */
  stall(ms: number): Promise<readonly DevnetNode[] | Rejection>
}
