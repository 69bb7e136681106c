import { afterEach, expect, test } from 'bun:test'
import { keysOf } from '../support/nodes/account-node.ts'
import { accountStages } from '../support/solana/account-stages.ts'

const MEGABYTE = 1024 * 1024

const stages = accountStages()

afterEach(() => stages.closeAll())

test('a walk by page keys gets no more than 128 MiB of account data in one page', async () => {
  const { node, stage } = await stages.open(36, { dataBytes: 4 * MEGABYTE })
  // As it comes: all of it at once would be a text of 180 megabytes.
  const keys: string[] = []
  let rest = ''
  for await (const chunk of await stage.askStream({})) {
    rest += Buffer.from(chunk).toString()
    keys.push(...[...rest.matchAll(/"pubkey":"(\w+)"/g)].map(([, key]) => key as string))
    rest = rest.slice(rest.lastIndexOf('"') - 200)
  }
  const pageKey = rest.match(/"pageKey":"([^"]+)"$/)?.[1]
  const first = [...new Set(keys)]
  expect(first.length).toBeWithin(30, 33)
  const { reply } = await stage.ask({ pageKey })
  expect([...first, ...reply.result.map((record: { pubkey: string }) => record.pubkey)]).toEqual(
    keysOf(node),
  )
}, 180_000)
