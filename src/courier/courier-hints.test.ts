import { expect, test } from 'bun:test'
import { numbersTo, owners, webhooks } from '../../tests/support/deliveries/courier-shards.ts'
import { courierStage } from '../../tests/support/deliveries/courier-stage.ts'

test('a courier sends what another process has committed as soon as it is hinted at', async () => {
  const stage = await courierStage()
  const ids = await webhooks(stage, 10)
  const [a, b] = [stage.open('a'), stage.open('b')]
  await stage.block(...ids)
  await stage.clock.advance(5000)
  expect(await owners(stage)).toEqual({ a: 128, b: 128 })
  let reads = 0
  const { query } = stage.database
  stage.database.query = (statement) => {
    reads += 1
    return query(statement)
  }
  const numbers = [...new Set(stage.sentNumbers())]
  for (let at = 0; at < 20; at++) numbers.push(await stage.blockOf(at % 3 ? a : b, ...ids))
  // No sweep has come yet. Each event is read by the other: its deliveries, then their result.
  for (const id of ids) expect(numbersTo(stage, id)).toEqual(numbers)
  expect(reads).toBe(40)
  await stage.rest()
  expect(await stage.billed()).toMatchObject({ calls: 210 })
})

test('a courier ignores what is no hint', async () => {
  const stage = await courierStage()
  const ids = await webhooks(stage, 2)
  stage.open('a')
  const texts = ['', ' ', 'a', '-1 b', '1', '1e3 b', `${'9'.repeat(30)} b`, '77 b', 'NaN b']
  for (const text of texts) stage.signals.publish('deliveries', text)
  await stage.block(...ids)
  await stage.rest()
  expect(stage.egress.sent).toHaveLength(2)
})
