import { expect, test } from 'bun:test'
import { systemClock } from '../clock.ts'
import { newAccount, sampleKey } from './solana-account.ts'
import { FIRST_SLOT } from './solana-asleep.ts'
import { openSolanaChain } from './solana-chain.ts'

test('what is remembered of a transaction does not grow with the accounts it touched', () => {
  const chain = openSolanaChain(systemClock(), FIRST_SLOT + 1)
  const [pubkey, owner] = [sampleKey('a large account'), sampleKey('its owner')]
  const account = newAccount(pubkey, 10n ** 12n, owner, new Uint8Array(1_000_000))
  expect(chain.accounts.put(account)).toBeNull()
  const sent = chain.airdrop(pubkey, 1n)
  if (typeof sent === 'string') throw new Error(sent)
  const receipt = chain.transactions.find(sent.signature)
  const states = [...(receipt?.before ?? []), ...(receipt?.after ?? [])]
  expect(states.map((account) => account?.lamports)).toContain(10n ** 12n + 1n)
  const bytes = states.reduce((sum, account) => sum + (account?.data.length ?? 0), 0)
  expect(bytes).toBeLessThan(1_000)
  expect(chain.accounts.at(pubkey, 'processed')?.data).toHaveLength(1_000_000)
})
