import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../../../../src/system/machine/system-clock.ts'
import { solanaRpc } from '../../../../../tests/support/solana-rpc.ts'
import { startSolanaLedger } from '../solana-ledger.ts'
import { openLedgerFile } from './ledger-file.ts'
import { markRecord } from './ledger-records.ts'

setDefaultTimeout(180_000)

const NOW = { commitment: 'processed' }

test('a file whose records make no sense is set aside when somebody looks', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-ledger-'))
  const start = () => startSolanaLedger({ clock: systemClock(), slotTimeMs: 0, folder })
  const reserved = 440_300_000
  const file = openLedgerFile(folder, 0)
  file.append([Uint8Array.of(99), markRecord(reserved, 7)])
  file.close()

  const first = await start()
  expect(first).toMatchObject({ isNew: false, setAside: null })
  const rpc = solanaRpc(first.url)
  const asleep = await rpc.call('getSlot', NOW)
  expect(asleep).toBeGreaterThan(reserved)
  expect(await rpc.call('getTransactionCount')).toBe(8)
  const seen = await rpc.call('getSlot', NOW)
  expect(seen).toBeGreaterThanOrEqual(asleep)
  expect(readdirSync(folder).some((name) => name.startsWith('ledger.log.broken-'))).toBe(true)
  await first.stop()

  const second = await start()
  expect(second).toMatchObject({ isNew: false, setAside: null })
  expect(await solanaRpc(second.url).call('getSlot', NOW)).toBeGreaterThan(seen)
  await second.stop()
  rmSync(folder, { recursive: true })
})
