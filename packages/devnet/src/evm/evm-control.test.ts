import { expect, test } from 'bun:test'
import { Rejection } from '../../../../src/core/errors.ts'
import { systemClock } from '../../../../src/system/machine/system-clock.ts'
import { openOutbound } from '../../../../src/system/outbound/outbound.ts'
import { startEvmChain } from './evm-chain.ts'
import { openEvmControl } from './evm-control.ts'

const clock = systemClock()

test('a chain that has ended is said to be silent, and one that lives answers', async () => {
  const chain = await startEvmChain({ clock, blockTimeMs: 0 })
  const control = openEvmControl({ clock, outbound: openOutbound() }, chain.url, 'ETH_DEVNET', [
    'a',
  ])
  expect(await control.mine(2)).toMatchObject({ head: { number: 2 } })
  const refused = await control.reorganise({ depth: 3, blocks: 4, transactions: 'keep' })
  expect(refused).toMatchObject({ code: 'validation' })

  await chain.stop()
  const silent = await control.state()
  expect(silent).toBeInstanceOf(Rejection)
  expect(silent).toMatchObject({ code: 'upstream_failed', httpStatus: 503 })
})

test('a chain that mines many blocks is waited for longer than for other commands', async () => {
  const waits: number[] = []
  const patient = {
    ...clock,
    after(ms: number) {
      waits.push(ms)
      return () => {}
    },
  }
  const control = openEvmControl(
    { clock: patient, outbound: openOutbound() },
    'http://127.0.0.1:1',
    'ETH_DEVNET',
    [],
  )
  await control.state()
  await control.mine(100)
  const [ordinary = 0, hundred = 0] = waits
  // A full block of traffic takes up to a second.
  expect(hundred - ordinary).toBe(100_000)
})
