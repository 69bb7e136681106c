export type ChainAccess<Refused> = {
  /** Null: no answer came within that time. */
  post(url: string, body: string, answerMsMax: number): Promise<string | null>
  refuse(reason: 'refused' | 'silent', message: string): Refused
}

/** `blocks` is how many a lagging node is behind, and 0 for others. */
export type DevnetNodeChange = {
  behaviour: 'honest' | 'lag' | 'lie' | 'fail' | 'hang'
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

/** Controls the development chain. Each call returns the new state, or its user's refusal. */
export interface DevnetControl<Refused> {
  network: string
  state(): Promise<DevnetState | Refused>
  mine(blocks: number): Promise<DevnetState | Refused>
  /** One step: nobody sees it half done. */
  reorganise(wanted: DevnetReorganisation): Promise<DevnetState | Refused>
  /** Takes the chain back to that height, as a node that was reset: nothing replaces the blocks. */
  drop(height: number): Promise<DevnetState | Refused>
  change(wanted: DevnetChange): Promise<DevnetState | Refused>
  send(wanted: DevnetSend): Promise<DevnetSent | Refused>
  nodes(): Promise<readonly DevnetNode[] | Refused>
  changeNode(name: string, wanted: DevnetNodeChange): Promise<readonly DevnetNode[] | Refused>
  /** No node answers for so long. */
  stall(ms: number): Promise<readonly DevnetNode[] | Refused>
}

/** How fast the ledger lives; a `slotTimeMs` of 0: slots only on command. */
export type SolanaDevnetPace = { slotTimeMs: number; isHeld: boolean; changesPerSlot: number }

export type SolanaDevnetState = SolanaDevnetPace & {
  /** The slot that is being filled. */
  slot: number
  blockHeight: number
  /** The token accounts that change by themselves. */
  tokenAccounts: number
  /** Since the ledger began. */
  transactions: number
}

export interface SolanaDevnetControl<Refused> {
  network: string
  state(): Promise<SolanaDevnetState | Refused>
  change(wanted: Partial<SolanaDevnetPace>): Promise<SolanaDevnetState | Refused>
}
