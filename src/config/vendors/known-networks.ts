import type { NetworkKind } from '../../core/network.ts'

/** All that defines a network of which nothing but the id is configured. */
export type KnownNetwork = {
  kind: NetworkKind
  slug?: string
  chainId?: number
  genesisHash?: string
  blockTimeMs: number
  /** A vendor bills every poll, so chains with fast blocks are not asked for each of them. */
  headPollMs?: number
}

const FAST_CHAIN_POLL_MS = 2000
const FAST_BLOCK_MS_MAX = 6000
const SOLANA_POLL_MS = 1000

/** Networks by id. The order is the one in which they are listed. */
export const KNOWN_NETWORKS: Readonly<Record<string, KnownNetwork>> = {
  ETH_MAINNET: evm(1, 12_000),
  ETH_SEPOLIA: evm(11_155_111, 12_000),
  ETH_HOODI: evm(560_048, 12_000),
  MATIC_MAINNET: { ...evm(137, 2000), slug: 'polygon-mainnet' },
  MATIC_AMOY: { ...evm(80_002, 2000), slug: 'polygon-amoy' },
  ARB_MAINNET: evm(42_161, 250),
  ARB_SEPOLIA: evm(421_614, 250),
  OPT_MAINNET: evm(10, 2000),
  OPT_SEPOLIA: evm(11_155_420, 2000),
  BASE_MAINNET: evm(8453, 2000),
  BASE_SEPOLIA: evm(84_532, 2000),
  BNB_MAINNET: evm(56, 750),
  AVAX_MAINNET: evm(43_114, 2000),
  LINEA_MAINNET: evm(59_144, 2000),
  SCROLL_MAINNET: evm(534_352, 3000),
  ZKSYNC_MAINNET: evm(324, 1000),
  GNOSIS_MAINNET: evm(100, 5000),
  SOLANA_MAINNET: solana('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'),
  SOLANA_DEVNET: solana('EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'),
}

function evm(chainId: number, blockTimeMs: number): KnownNetwork {
  const isFast = blockTimeMs <= FAST_BLOCK_MS_MAX
  return {
    kind: 'evm',
    chainId,
    blockTimeMs,
    ...(isFast && { headPollMs: FAST_CHAIN_POLL_MS }),
  }
}

function solana(genesisHash: string): KnownNetwork {
  return { kind: 'solana', genesisHash, blockTimeMs: 400, headPollMs: SOLANA_POLL_MS }
}
