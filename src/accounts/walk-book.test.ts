import { afterEach, expect, test } from 'bun:test'
import { keysOf } from '../../tests/support/account-node.ts'
import { accountStages } from '../../tests/support/account-stages.ts'
import { fastClock } from '../../tests/support/fast-clock.ts'
import { until } from '../../tests/support/headgate.ts'

const stages = accountStages()

afterEach(() => stages.closeAll())

test('an answer that is read slowly lies on the disk, and is no other for it', async () => {
  const { node, stage } = await stages.open(2000, { clock: fastClock(20) })
  const stream = await stage.askStream()
  await until(() => stage.files().length > 0, 'it is on the disk')
  const records = JSON.parse(await new Response(stream).text())
  expect(records.map(({ pubkey }: { pubkey: string }) => pubkey)).toEqual(keysOf(node))
  await until(() => stage.files().length === 0, 'it is gone')
})
