import type { NetworkKind } from '../network.ts'

/**
 * The ways to repeat a call. `read`: anywhere, any number of times.
 * `idempotent`: its hash names it, so a second node answers "already known".
 * `write`: never sent again once it may have landed.
 * `filter`: lives on the one node that made it.
 */
export type Safety = 'read' | 'idempotent' | 'write' | 'filter'

/** The thing that an answer depends on; decides how long it may be cached. */
export type Depends =
  | 'uncacheable'
  | 'network'
  | 'head'
  | 'block_hash'
  | 'transaction'
  | 'logs'
  | { blockAt: number }

export type MethodRow = {
  name: string
  cu: number
  throughputCu?: number
  safety?: Safety
  depends?: Depends
  /** May answer with megabytes: sent alone, never inside an upstream batch. */
  heavy?: boolean
  /** The caller decides how much work it is, or by code of its own even what its errors say. */
  openEnded?: boolean
  paidOnly?: boolean
  scan?: ScanRow
  /** It is about a subscription of its connection, so it is served over WebSocket alone. */
  subscription?: boolean
}

/** CU for every `blocks` begun beyond the first `blocks`, billed and throughput alike. */
type ScanRow = { cu: number; blocks: number }

export const UNLISTED_CU = 20

const EVM: readonly MethodRow[] = [
  { name: 'eth_chainId', cu: 0, depends: 'network' },
  { name: 'net_version', cu: 0, depends: 'network' },
  { name: 'eth_syncing', cu: 0 },
  { name: 'net_listening', cu: 0 },
  { name: 'eth_blockNumber', cu: 10, depends: 'head' },
  { name: 'eth_feeHistory', cu: 10, depends: { blockAt: 1 }, openEnded: true },
  { name: 'eth_maxPriorityFeePerGas', cu: 10, depends: 'head' },
  { name: 'eth_blobBaseFee', cu: 10, depends: 'head' },
  { name: 'eth_accounts', cu: 10 },
  { name: 'eth_gasPrice', cu: 20, depends: 'head' },
  { name: 'eth_getBalance', cu: 20, depends: { blockAt: 1 } },
  { name: 'eth_getCode', cu: 20, depends: { blockAt: 1 } },
  { name: 'eth_getTransactionCount', cu: 20, depends: { blockAt: 1 } },
  { name: 'eth_getStorageAt', cu: 20, depends: { blockAt: 2 } },
  { name: 'eth_getProof', cu: 20, depends: { blockAt: 2 }, openEnded: true },
  { name: 'eth_call', cu: 26, depends: { blockAt: 1 }, openEnded: true },
  { name: 'eth_estimateGas', cu: 20, depends: { blockAt: 1 }, openEnded: true },
  { name: 'eth_createAccessList', cu: 20, depends: { blockAt: 1 }, openEnded: true },
  { name: 'eth_simulateV1', cu: 40, depends: { blockAt: 1 }, openEnded: true },
  { name: 'eth_getBlockByNumber', cu: 20, depends: { blockAt: 0 }, heavy: true },
  { name: 'eth_getBlockByHash', cu: 20, depends: 'block_hash', heavy: true },
  { name: 'eth_getBlockTransactionCountByNumber', cu: 20, depends: { blockAt: 0 } },
  { name: 'eth_getBlockTransactionCountByHash', cu: 20, depends: 'block_hash' },
  { name: 'eth_getTransactionByBlockNumberAndIndex', cu: 20, depends: { blockAt: 0 } },
  { name: 'eth_getTransactionByBlockHashAndIndex', cu: 20, depends: 'block_hash' },
  { name: 'eth_getUncleCountByBlockNumber', cu: 20, depends: { blockAt: 0 } },
  { name: 'eth_getUncleCountByBlockHash', cu: 20, depends: 'block_hash' },
  { name: 'eth_getUncleByBlockNumberAndIndex', cu: 20, depends: { blockAt: 0 } },
  { name: 'eth_getUncleByBlockHashAndIndex', cu: 20, depends: 'block_hash' },
  { name: 'eth_getTransactionByHash', cu: 20, depends: 'transaction' },
  { name: 'eth_getTransactionReceipt', cu: 20, depends: 'transaction' },
  {
    name: 'eth_getBlockReceipts',
    cu: 20,
    throughputCu: 500,
    depends: { blockAt: 0 },
    heavy: true,
  },
  { name: 'eth_getLogs', cu: 60, depends: 'logs', heavy: true, scan: { cu: 10, blocks: 2000 } },
  { name: 'eth_sendRawTransaction', cu: 40, throughputCu: 250, safety: 'idempotent' },
  { name: 'eth_sendTransaction', cu: 40, throughputCu: 250, safety: 'write' },
  { name: 'eth_newFilter', cu: 20, safety: 'filter' },
  { name: 'eth_newBlockFilter', cu: 20, safety: 'filter' },
  { name: 'eth_newPendingTransactionFilter', cu: 20, safety: 'filter' },
  { name: 'eth_getFilterChanges', cu: 20, safety: 'filter', heavy: true },
  { name: 'eth_getFilterLogs', cu: 60, safety: 'filter', heavy: true },
  { name: 'eth_uninstallFilter', cu: 10, safety: 'filter' },
  { name: 'eth_subscribe', cu: 10, subscription: true },
  { name: 'eth_unsubscribe', cu: 10, subscription: true },
  // Bundles, user operations, private transactions: no hash of theirs makes a second one harmless.
  { name: 'eth_send*', cu: UNLISTED_CU, safety: 'write' },
  { name: 'eth_cancel*', cu: UNLISTED_CU, safety: 'write' },
  { name: 'eth_resend', cu: UNLISTED_CU, safety: 'write' },
  { name: 'eth_submit*', cu: UNLISTED_CU, safety: 'write' },
  { name: 'eth_sign*', cu: 20, safety: 'write' },
  { name: 'eth_*', cu: UNLISTED_CU },
  { name: 'net_*', cu: UNLISTED_CU },
  { name: 'web3_*', cu: UNLISTED_CU },
  { name: 'txpool_*', cu: UNLISTED_CU, heavy: true },
  { name: 'debug_set*', cu: 40, throughputCu: 1000, safety: 'write' },
  { name: 'debug_*', cu: 40, throughputCu: 1000, heavy: true },
  { name: 'trace_replay*', cu: 80, throughputCu: 3000, heavy: true },
  { name: 'trace_*', cu: 40, heavy: true },
]

const SOLANA: readonly MethodRow[] = [
  { name: 'getAccountInfo', cu: 10, heavy: true },
  { name: 'getBalance', cu: 10 },
  { name: 'getTokenAccountsByOwner', cu: 10, heavy: true },
  { name: 'getTransaction', cu: 40, heavy: true },
  { name: 'getBlock', cu: 40, heavy: true },
  { name: 'getSignaturesForAddress', cu: 40, heavy: true },
  { name: 'getSupply', cu: 160, heavy: true },
  { name: 'getLargestAccounts', cu: 3000, heavy: true },
  { name: 'getProgramAccounts', cu: 20, heavy: true, paidOnly: true },
  { name: 'getProgramAccountsV2', cu: 20, heavy: true, paidOnly: true },
  { name: 'getMultipleAccounts', cu: 20, heavy: true },
  // Scans of the node, or answers of megabytes.
  { name: 'getTokenAccountsByDelegate', cu: 20, heavy: true },
  { name: 'getTokenLargestAccounts', cu: 20, heavy: true },
  { name: 'getVoteAccounts', cu: 20, heavy: true },
  { name: 'getClusterNodes', cu: 20, heavy: true },
  { name: 'getLeaderSchedule', cu: 20, heavy: true },
  { name: 'getBlockProduction', cu: 20, heavy: true },
  { name: 'getInflationReward', cu: 20, heavy: true },
  { name: 'getBlocks', cu: 20, heavy: true },
  { name: 'getBlocksWithLimit', cu: 20, heavy: true },
  { name: 'getGenesisHash', cu: 20, depends: 'network' },
  { name: 'sendTransaction', cu: 20, safety: 'write' },
  { name: 'requestAirdrop', cu: 20, safety: 'write' },
  { name: 'simulateTransaction', cu: 20, openEnded: true },
  { name: 'isBlockhashValid', cu: 20 },
  { name: 'minimumLedgerSlot', cu: 20 },
  { name: 'get*', cu: UNLISTED_CU },
  { name: 'accountSubscribe', cu: 10, subscription: true },
  { name: 'accountUnsubscribe', cu: 10, subscription: true },
  { name: 'programSubscribe', cu: 10, subscription: true },
  { name: 'programUnsubscribe', cu: 10, subscription: true },
  { name: 'logsSubscribe', cu: 10, subscription: true },
  { name: 'logsUnsubscribe', cu: 10, subscription: true },
  { name: 'signatureSubscribe', cu: 10, subscription: true },
  { name: 'signatureUnsubscribe', cu: 10, subscription: true },
  { name: 'slotSubscribe', cu: 10, subscription: true },
  { name: 'slotUnsubscribe', cu: 10, subscription: true },
  { name: 'rootSubscribe', cu: 10, subscription: true },
  { name: 'rootUnsubscribe', cu: 10, subscription: true },
]

export function methodRows(kind: NetworkKind): readonly MethodRow[] {
  return kind === 'evm' ? EVM : SOLANA
}
