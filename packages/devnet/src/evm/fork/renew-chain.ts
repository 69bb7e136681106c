import type { ChainPast, Checkpoints } from './checkpoints.ts'
import type { RawChain, RawTransaction } from './raw-chain.ts'
import type { SentTransactions } from './sent-transactions.ts'

type Parts = {
  chain: RawChain
  checkpoints: Checkpoints
  past: ChainPast | null
  sent: SentTransactions
  automine: { isOn: boolean }
}

/**
 * Begins a chain anew at its head when that is due. The chain has all that it ever mined in
 * memory, gigabytes after a day; begun anew it has it in the archive. Nobody loses a snapshot by
 * it. Whoever calls it keeps everybody else from the chain meanwhile.
 */
export async function renewChain(parts: Parts): Promise<void> {
  const { chain, checkpoints, past, sent, automine } = parts
  if (past === null || checkpoints.hasSnapshots() || !past.isRenewalDue()) return

  const waiting = await chain.result<RawTransaction[]>('eth_pendingTransactions')
  await checkpoints.goBack(Number(await chain.result<string>('eth_blockNumber')))
  for (const transaction of waiting) await sent.resend(transaction)
  if (automine.isOn) await chain.result('evm_setAutomine', true)
}
