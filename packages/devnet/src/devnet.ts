/** The development chains: each is a process of its own, which ends with the one that starts it. */

export * from './devnet-control.ts'
export { startEvmChain } from './evm/evm-chain.ts'
export { startSolanaLedger } from './solana/solana-ledger.ts'
