import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)

/** A signed transfer on chain 1, as its sender has it. */
export const SIGNED_TRANSFER = await account.signTransaction({
  chainId: 1,
  nonce: 7,
  to: `0x${'11'.repeat(20)}`,
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: 9n,
  maxPriorityFeePerGas: 1n,
})

export const TRANSFER_HASH = keccak256(SIGNED_TRANSFER)
