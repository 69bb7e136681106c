import { defaultSlug } from '../../core/network.ts'
import { KNOWN_NETWORKS } from './known-networks.ts'

export type Vendor = {
  /** The parts that stand after the scheme, as in `<name>/<token>`. */
  form: string
  keyed: 'key' | 'endpoint_and_key' | 'node_and_key'
  /** With {network}, {endpoint} and {key} to be filled in. */
  https: string
  wss: string
  /** The vendor's own word for each network that it serves, by our id. */
  networks: Readonly<Record<string, string>>
}

/**
 * Vendors by the scheme of their address. A network that is missing here can still be configured
 * by its http address.
 */
export const VENDORS: Readonly<Record<string, Vendor>> = {
  alchemy: {
    form: 'alchemy://KEY',
    keyed: 'key',
    https: 'https://{network}.g.alchemy.com/v2/{key}',
    wss: 'wss://{network}.g.alchemy.com/v2/{key}',
    networks: slugs(),
  },
  infura: {
    form: 'infura://KEY',
    keyed: 'key',
    https: 'https://{network}.infura.io/v3/{key}',
    wss: 'wss://{network}.infura.io/ws/v3/{key}',
    networks: {
      ETH_MAINNET: 'mainnet',
      ETH_SEPOLIA: 'sepolia',
      ETH_HOODI: 'hoodi',
      MATIC_MAINNET: 'polygon-mainnet',
      MATIC_AMOY: 'polygon-amoy',
      ARB_MAINNET: 'arbitrum-mainnet',
      ARB_SEPOLIA: 'arbitrum-sepolia',
      OPT_MAINNET: 'optimism-mainnet',
      OPT_SEPOLIA: 'optimism-sepolia',
      BASE_MAINNET: 'base-mainnet',
      BASE_SEPOLIA: 'base-sepolia',
      BNB_MAINNET: 'bsc-mainnet',
      AVAX_MAINNET: 'avalanche-mainnet',
      LINEA_MAINNET: 'linea-mainnet',
      SCROLL_MAINNET: 'scroll-mainnet',
      ZKSYNC_MAINNET: 'zksync-mainnet',
    },
  },
  quicknode: {
    form: 'quicknode://ENDPOINT/TOKEN',
    keyed: 'endpoint_and_key',
    https: 'https://{endpoint}{network}.quiknode.pro/{key}/',
    wss: 'wss://{endpoint}{network}.quiknode.pro/{key}/',
    networks: {
      // The main network of Ethereum has no word of its own in the host.
      ETH_MAINNET: '',
      ETH_SEPOLIA: '.ethereum-sepolia',
      ETH_HOODI: '.ethereum-hoodi',
      MATIC_MAINNET: '.matic',
      MATIC_AMOY: '.matic-amoy',
      ARB_MAINNET: '.arbitrum-mainnet',
      ARB_SEPOLIA: '.arbitrum-sepolia',
      OPT_MAINNET: '.optimism',
      OPT_SEPOLIA: '.optimism-sepolia',
      BASE_MAINNET: '.base-mainnet',
      BASE_SEPOLIA: '.base-sepolia',
      BNB_MAINNET: '.bsc',
      LINEA_MAINNET: '.linea-mainnet',
      SCROLL_MAINNET: '.scroll-mainnet',
      ZKSYNC_MAINNET: '.zksync-mainnet',
      SOLANA_MAINNET: '.solana-mainnet',
      SOLANA_DEVNET: '.solana-devnet',
    },
  },
  helius: {
    form: 'helius://KEY',
    keyed: 'key',
    https: 'https://{network}.helius-rpc.com/?api-key={key}',
    wss: 'wss://{network}.helius-rpc.com/?api-key={key}',
    networks: { SOLANA_MAINNET: 'mainnet', SOLANA_DEVNET: 'devnet' },
  },
  ankr: {
    form: 'ankr://KEY',
    keyed: 'key',
    https: 'https://rpc.ankr.com/{network}/{key}',
    wss: 'wss://rpc.ankr.com/{network}/ws/{key}',
    networks: {
      ETH_MAINNET: 'eth',
      ETH_SEPOLIA: 'eth_sepolia',
      ETH_HOODI: 'eth_hoodi',
      MATIC_MAINNET: 'polygon',
      MATIC_AMOY: 'polygon_amoy',
      ARB_MAINNET: 'arbitrum',
      ARB_SEPOLIA: 'arbitrum_sepolia',
      OPT_MAINNET: 'optimism',
      OPT_SEPOLIA: 'optimism_sepolia',
      BASE_MAINNET: 'base',
      BASE_SEPOLIA: 'base_sepolia',
      BNB_MAINNET: 'bsc',
      AVAX_MAINNET: 'avalanche',
      LINEA_MAINNET: 'linea',
      SCROLL_MAINNET: 'scroll',
      ZKSYNC_MAINNET: 'zksync_era',
      GNOSIS_MAINNET: 'gnosis',
      SOLANA_MAINNET: 'solana',
      SOLANA_DEVNET: 'solana_devnet',
    },
  },
  chainstack: {
    form: 'chainstack://NODE/KEY',
    keyed: 'node_and_key',
    https: 'https://{network}.core.chainstack.com/{key}',
    wss: 'wss://{network}.core.chainstack.com/{key}',
    networks: {
      ETH_MAINNET: 'ethereum-mainnet',
      ETH_SEPOLIA: 'ethereum-sepolia',
      ETH_HOODI: 'ethereum-hoodi',
      MATIC_MAINNET: 'polygon-mainnet',
      MATIC_AMOY: 'polygon-amoy',
      ARB_MAINNET: 'arbitrum-mainnet',
      ARB_SEPOLIA: 'arbitrum-sepolia',
      OPT_MAINNET: 'optimism-mainnet',
      OPT_SEPOLIA: 'optimism-sepolia',
      BASE_MAINNET: 'base-mainnet',
      BASE_SEPOLIA: 'base-sepolia',
      BNB_MAINNET: 'bsc-mainnet',
      LINEA_MAINNET: 'linea-mainnet',
      SCROLL_MAINNET: 'scroll-mainnet',
      ZKSYNC_MAINNET: 'zksync-mainnet',
      GNOSIS_MAINNET: 'gnosis-mainnet',
      SOLANA_MAINNET: 'solana-mainnet',
      SOLANA_DEVNET: 'solana-devnet',
    },
  },
  drpc: {
    form: 'drpc://KEY',
    keyed: 'key',
    https: 'https://lb.drpc.org/ogrpc?network={network}&dkey={key}',
    wss: 'wss://lb.drpc.org/ogws?network={network}&dkey={key}',
    networks: {
      ETH_MAINNET: 'ethereum',
      ETH_SEPOLIA: 'sepolia',
      ETH_HOODI: 'hoodi',
      MATIC_MAINNET: 'polygon',
      MATIC_AMOY: 'polygon-amoy',
      ARB_MAINNET: 'arbitrum',
      ARB_SEPOLIA: 'arbitrum-sepolia',
      OPT_MAINNET: 'optimism',
      OPT_SEPOLIA: 'optimism-sepolia',
      BASE_MAINNET: 'base',
      BASE_SEPOLIA: 'base-sepolia',
      BNB_MAINNET: 'bsc',
      AVAX_MAINNET: 'avalanche',
      LINEA_MAINNET: 'linea',
      SCROLL_MAINNET: 'scroll',
      ZKSYNC_MAINNET: 'zksync',
      GNOSIS_MAINNET: 'gnosis',
      SOLANA_MAINNET: 'solana',
      SOLANA_DEVNET: 'solana-devnet',
    },
  },
}

/** Our networks have the names in URLs that they have there. */
function slugs(): Record<string, string> {
  const known = Object.entries(KNOWN_NETWORKS)
  return Object.fromEntries(known.map(([id, { slug }]) => [id, slug ?? defaultSlug(id)]))
}
