/** The development chains: each is a process of its own, which ends with the one that starts it. */
export { startEvmChain } from './evm/evm-chain.ts'
export { evmChainHas } from './evm/evm-chain-has.ts'
export { openEvmControl } from './evm/evm-control.ts'
export { openSolanaControl } from './solana/control/solana-control.ts'
export { startSolanaLedger } from './solana/solana-ledger.ts'
