import { expect, test } from 'bun:test'
import { systemClock } from '../../../../src/system/machine/system-clock.ts'
import { FIRST_SLOT, SLOTS_AT_START } from './solana-asleep.ts'
import { openSolanaChain } from './solana-chain.ts'

test('what is remembered of a transaction does not grow with the accounts it touched', () => {
  const chain = openSolanaChain(systemClock(), FIRST_SLOT + SLOTS_AT_START)
  const pubkey = new Uint8Array(32).fill(9)
  const owner = new Uint8Array(32).fill(5)
  const data = new Uint8Array(1_000_000)
  const facts = { lamports: 10n ** 12n, rentEpoch: 2n ** 64n - 1n, executable: false }
  expect(chain.put({ pubkey, owner, data, ...facts })).toBeNull()
  const sent = chain.airdrop(pubkey, 1n)
  if (typeof sent === 'string') throw new Error(sent)
  const receipt = chain.transactions.find(sent.signature)
  const states = [...(receipt?.before ?? []), ...(receipt?.after ?? [])]
  expect(states.map((account) => account?.lamports)).toContain(10n ** 12n + 1n)
  const bytes = states.reduce((sum, account) => sum + (account?.data.length ?? 0), 0)
  expect(bytes).toBeLessThan(1_000)
  expect(chain.history.at(pubkey, chain.slots.now)?.data).toHaveLength(1_000_000)
})
