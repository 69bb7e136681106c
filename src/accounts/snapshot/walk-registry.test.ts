import { afterEach, describe, expect, test } from 'bun:test'
import { fastClock } from '../../../tests/support/basics/fast-clock.ts'
import { keysOf } from '../../../tests/support/nodes/account-node.ts'
import { until } from '../../../tests/support/product/headgate.ts'
import type { AccountStage } from '../../../tests/support/solana/account-stage.ts'
import { accountStages } from '../../../tests/support/solana/account-stages.ts'

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

const V1 = 'getProgramAccounts'

/** Resolves when the page key of this question is good no more. */
const expired = (stage: AccountStage, config: object, teamId: string) =>
  until(async () => {
    const { error } = (await stage.ask(config, V1, teamId)).reply
    return error?.message === 'pageKey has expired'
  }, 'its walk is gone')

const sliced = (length: number) => ({
  limit: 1,
  encoding: 'base64',
  dataSlice: { offset: 0, length },
})

describe('teams that ask for a lot', () => {
  test('expire their own page keys, and nobody else’s', async () => {
    const { node, stage } = await stages.open(3, { clock: fastClock(20) })
    const { pageKey } = (await stage.ask({ limit: 1 }, V1, 'few')).reply
    const { pageKey: oldest } = (await stage.ask(sliced(0), V1, 'many')).reply
    for (let length = 1; length < 1060; length++) await stage.ask(sliced(length), V1, 'many')
    await expired(stage, { ...sliced(0), pageKey: oldest }, 'many')
    const { result } = (await stage.ask({ limit: 2, pageKey }, V1, 'few')).reply
    expect(result.map(({ pubkey }: { pubkey: string }) => pubkey)).toEqual(keysOf(node).slice(1))
  }, 180_000)

  test('expire no page key of a walk that they share with others', async () => {
    const { stage } = await stages.open(2000, {
      dataBytes: 10_000,
      rules: { spillBytesMax: 80_000_000 },
    })
    const [first, second] = await Promise.all([
      stage.ask({ limit: 10 }, V1, 'many'),
      stage.ask({ limit: 10 }, V1, 'few'),
    ])
    expect([first.cache, second.cache]).toEqual(['miss', 'coalesced'])
    const slice = { encoding: 'base64', dataSlice: { offset: 0, length: 8000 } }
    const { pageKey: own } = (await stage.ask({ ...slice, limit: 10 }, V1, 'many')).reply
    // Read to its end, so that its scan is over, too.
    expect((await stage.ask({ ...slice, pageKey: own }, V1, 'many')).reply.result).toHaveLength(
      1990,
    )
    const { pageKey } = second.reply
    await stage.ask({ ...slice, dataSlice: { offset: 0, length: 7999 } }, V1, 'many')
    await expired(stage, { ...slice, pageKey: own }, 'many')
    expect((await stage.ask({ limit: 10, pageKey }, V1, 'few')).reply.result).toHaveLength(10)
  })

  test('make room for themselves among their own walks alone', async () => {
    const { stage } = await stages.open(2000, {
      dataBytes: 5000,
      rules: { spillBytesMax: 60_000_000 },
    })
    const { pageKey } = (await stage.ask({ limit: 10 }, V1, 'few')).reply
    const whole = { limit: 10, encoding: 'base64' }
    const part = (length: number) => ({ ...whole, dataSlice: { offset: 0, length } })
    for (const length of [4999, 4998, 4997, 4996, 4995, 4994]) {
      expect((await stage.ask(part(length), V1, 'many')).reply.result).toHaveLength(10)
    }
    expect((await stage.ask({ limit: 10, pageKey }, V1, 'few')).reply.result).toHaveLength(10)
  })
})
