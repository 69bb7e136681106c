import { assert } from '../../../../../src/core/errors.ts'
import type { Account } from '../../../../../src/core/solana/account.ts'
import type { AccountHistory } from '../solana-account-history.ts'
import { FAUCET, FAUCET_LAMPORTS, genesisSteps } from '../solana-genesis.ts'
import type { Sender } from '../solana-sender.ts'
import type { Slots } from '../solana-slots.ts'
import { sampleAccounts } from './sample-accounts.ts'
import { type RentExempt, walletAccount } from './wallet-account.ts'

type Needs = Pick<Sender, 'send'> & {
  history: AccountHistory
  slots: Slots
  put(account: Account): string | null
  rentExempt: RentExempt
}

/** Makes the accounts that every ledger begins with, and those of a living one. */
export function beginLedger(needs: Needs, tokenAccounts: number): void {
  const { history, slots, put, send, rentExempt } = needs
  put(walletAccount(FAUCET.key, FAUCET_LAMPORTS))
  for (const { signers, instructions } of genesisSteps(rentExempt)) {
    const receipt = send(signers, instructions)
    assert(typeof receipt !== 'string', 'the ledger begins with what it promises')
  }
  const { epoch } = slots.epochOf(slots.now)
  const fault = history.adopt(sampleAccounts({ tokenAccounts, epoch, rentExempt }))
  assert(fault === null, `the ledger begins with all of its sample accounts (${fault})`)
}
