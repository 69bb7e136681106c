/**
 * Credits of a call by method, as vendors publish them; `default` is for all others. They change
 * them now and then, so a table is used only where the configuration names it.
 */
export const VENDOR_CREDITS = {
  alchemy: {
    default: 20,
    net_version: 0,
    eth_chainId: 0,
    eth_syncing: 0,
    eth_blockNumber: 10,
    eth_call: 26,
    eth_estimateGas: 20,
    eth_getLogs: 60,
    eth_sendRawTransaction: 40,
    debug_traceTransaction: 40,
    debug_traceBlockByNumber: 40,
    debug_traceBlockByHash: 40,
    debug_traceCall: 40,
    getAccountInfo: 10,
    getBalance: 10,
    getTransaction: 40,
    getBlock: 40,
    getSignaturesForAddress: 40,
    getSupply: 160,
    getLargestAccounts: 3000,
  },
} as const satisfies Record<string, Readonly<Record<string, number>> & { default: number }>
