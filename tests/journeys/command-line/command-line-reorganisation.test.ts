import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { WireArrival, WireDevnet } from '../../../src/http/contract/contract.ts'
import { openReceiver } from '../../../src/receiver/receiver.ts'
import { devnetChain } from '../../support/devnet/devnet-chain.ts'
import { type Cli, commandLine } from '../../support/product/cli-process.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some real blocks and processes, or more where the machine is busy with others. */
setDefaultTimeout(60_000)

const QUERY = '{ block { number hash } }'

let headgate: TestHeadgate
let done: Cli['done']
let json: Cli['json']

beforeAll(async () => {
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' } })
  ;({ done, json } = commandLine({ url: headgate.url, token: headgate.teamToken }))
  await devnetChain(headgate).untilFollowed()
})
afterAll(() => headgate.stop())

test('headgate devnet reorg 3 ends in three re-run deliveries, and receivers on the canonical chain', async () => {
  const webhook = await json('webhook', 'create', '--inbox', 'proof', '--graphql', QUERY)
  await done('devnet', 'mine', '5')
  await until(async () => (await arrivals()).length === 5, 'five deliveries have arrived')

  const told = await done('devnet', 'reorg', '3')
  expect(told).toStartWith('Replaced 3 blocks by 4; transactions are mined again.\n')
  await until(async () => (await arrivals()).length === 9, 'the new blocks are delivered, too')

  const all = await arrivals()
  const reruns = all.filter((one) => one.is_rerun)
  const superseded = all.filter((one) => one.is_superseded)
  expect(reruns).toHaveLength(3)
  for (const rerun of reruns) {
    const old = superseded.find((one) => one.block_number === rerun.block_number)
    expect(BigInt(rerun.sequence_number ?? 0)).toBeGreaterThan(BigInt(old?.sequence_number ?? -1))
    expect(rerun.signature).toBe('valid')
  }
  const shown = (await done('devnet', 'inbox', 'proof')).split('\n')
  expect(shown.filter((line) => /\d {2}valid +200 +re-run /.test(line))).toHaveLength(3)
  expect(shown.filter((line) => line.includes('superseded'))).toHaveLength(3)

  const chain = await canonicalChain(new Set(all.map((one) => one.block_number)))
  expect(chain.size).toBe(6)
  // Networks may hand deliveries over in any order: the receiver ends at the same chain.
  for (const order of [all, all.toReversed(), [...reruns, ...all]]) {
    expect(await received(order, webhook.signing_key)).toEqual(chain)
  }
})

async function arrivals(): Promise<WireArrival[]> {
  return json('devnet', 'inbox', 'proof')
}

/** The hash of each of these heights, as the chain has it now. */
async function canonicalChain(heights: Set<number | null>): Promise<Map<number, string>> {
  const devnet: WireDevnet = await json('devnet', 'status')
  const blocks = devnet.blocks.filter((one) => one.is_canonical && heights.has(one.number))
  return new Map(blocks.map(({ number, hash }) => [number, hash]))
}

/** The chain that an app ends on which keeps what its receiver hands over. */
async function received(
  deliveries: readonly WireArrival[],
  signingKeys: string,
): Promise<Map<number, string>> {
  const kept = new Map<number, string>()
  const receiver = openReceiver({
    signingKeys,
    onDelivery(delivery) {
      if (delivery.kind !== 'data') return
      const { block } = delivery.data as { block: { number: number; hash: string } }
      kept.set(block.number, block.hash)
    },
  })
  for (const { headers, body } of deliveries) {
    const { status } = await receiver.receive({ headers, body })
    expect(status).toBe(200)
  }
  return kept
}
