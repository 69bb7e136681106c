import { afterAll, beforeAll, setDefaultTimeout, test } from 'bun:test'
import {
  kitListens,
  playOn,
  web3Listens,
} from '../../../../../tests/support/solana/solana-listeners.ts'
import { solanaRpc } from '../../../../../tests/support/solana/solana-rpc.ts'
import { systemClock } from '../../clock.ts'
import { type SolanaLedger, startSolanaLedger } from '../solana-ledger.ts'

setDefaultTimeout(180_000)

let ledger: SolanaLedger

beforeAll(async () => {
  ledger = await startSolanaLedger({ clock: systemClock(), slotTimeMs: 0 })
})
afterAll(() => ledger.stop())

test('@solana/kit hears every kind of subscription from the ledger', async () => {
  await kitListens(ledger.wsUrl, playOn(solanaRpc(ledger.url), 'kit'))
})

test('web3.js hears every kind of subscription from the ledger', async () => {
  await web3Listens(ledger.url, ledger.wsUrl, playOn(solanaRpc(ledger.url), 'web3'))
})
