export type VerifyMode = 'auto' | 'receipts' | 'off'

/**
 * How they are in fact: proven by their hash, or by the checks that need no encoding, and why.
 */
export type Verifying = {
  mode: VerifyMode
  fallback: VerifyFallback | null
}

/** Why blocks of a chain are not proven; shown as it is. */
export type VerifyFallback =
  | 'off'
  | 'unknown_chain'
  | 'not_tested'
  | 'local_chain'
  | 'op_deposits'
  | 'arbitrum_transactions'
  | 'zksync_blocks'
  | 'polygon_state_sync'
  | 'avalanche_headers'
  | 'hyperliquid_system_transactions'
  | 'solana'

/**
 * Chains by their id: null where blocks are encoded as Ethereum's, else what they do otherwise.
 * A chain is entered as proven only when its own blocks, or the specification that they share
 * with Ethereum's main net, were tested.
 */
const FORMS: ReadonlyMap<number, VerifyFallback | null> = new Map([
  // Ethereum, and its test networks Sepolia, Holesky and Hoodi, which have its specification.
  [1, null],
  [11_155_111, null],
  [17_000, null],
  [560_048, null],
  // Deposits are transactions without a signature, and their receipts have members of their own.
  [10, 'op_deposits'],
  [130, 'op_deposits'],
  [480, 'op_deposits'],
  [8_453, 'op_deposits'],
  [7_777_777, 'op_deposits'],
  [84_532, 'op_deposits'],
  [11_155_420, 'op_deposits'],
  // Types of transactions that only Arbitrum has.
  [42_161, 'arbitrum_transactions'],
  [42_170, 'arbitrum_transactions'],
  [421_614, 'arbitrum_transactions'],
  // Its hash is not made of what the node shows.
  [324, 'zksync_blocks'],
  [300, 'zksync_blocks'],
  // The receipt of what comes over from Ethereum is in no root.
  [137, 'polygon_state_sync'],
  [80_002, 'polygon_state_sync'],
  // The header has members that no other chain has.
  [43_114, 'avalanche_headers'],
  [43_113, 'avalanche_headers'],
  // Transfers between its two halves are in no root.
  [999, 'hyperliquid_system_transactions'],
  [998, 'hyperliquid_system_transactions'],
  // Blocks as Ethereum's by all that is written of them, but none was at hand: BNB, Gnosis,
  // Linea and Scroll.
  [56, 'not_tested'],
  [97, 'not_tested'],
  [100, 'not_tested'],
  [59_144, 'not_tested'],
  [534_352, 'not_tested'],
  // Accounts can be impersonated there: their transactions have no signature.
  [1_337, 'local_chain'],
  [31_337, 'local_chain'],
])

export function verifyingOf(network: {
  kind: 'evm' | 'solana'
  chainId?: number
  verify?: VerifyMode
}): Verifying {
  const mode = network.verify ?? 'auto'
  const form = network.chainId === undefined ? undefined : FORMS.get(network.chainId)
  return { mode, fallback: fallbackOf(network.kind, mode, form) }
}

function fallbackOf(
  kind: 'evm' | 'solana',
  mode: VerifyMode,
  form: VerifyFallback | null | undefined,
): VerifyFallback | null {
  if (kind === 'solana') return 'solana'
  if (mode === 'off') return 'off'
  if (mode === 'receipts') return null
  return form === undefined ? 'unknown_chain' : form
}

/** Why `verify: receipts` would have a chain wait for ever; null where it would not. */
export function neverProven(chainId: number): VerifyFallback | null {
  const form = FORMS.get(chainId) ?? null
  // Blocks of these two may be encoded as Ethereum's.
  return form === 'not_tested' || form === 'local_chain' ? null : form
}
