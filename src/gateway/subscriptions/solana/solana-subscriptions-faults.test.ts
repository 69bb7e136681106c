import { describe, expect, test } from 'bun:test'
import { type Chance, seededChance } from '../../../../tests/support/basics/seeded-chance.ts'
import { PROGRAM } from '../../../../tests/support/solana/pubsub-answers.ts'
import { pubkeyOf, signatureOf } from '../../../../tests/support/solana/pubsub-cluster.ts'
import {
  type Heard,
  openPubsubStage,
  type PubsubStage,
} from '../../../../tests/support/solana/pubsub-stage.ts'

type Level = 'processed' | 'confirmed' | 'finalized'

const LEVELS: readonly Level[] = ['processed', 'confirmed', 'finalized']
const ACCOUNTS = Array.from({ length: 4 }, (_, number) => pubkeyOf(number))
const SIGNATURES = Array.from({ length: 6 }, (_, number) => signatureOf(number))
const FILTERS = [{ dataSize: 1 }]

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('through faults of nodes at random (%d)', (seed) => {
  test('each subscriber ends with the last state, and none goes back', async () => {
    const chance = seededChance(seed)
    const stage = await openPubsubStage()
    const { cluster } = stage
    const heard = await listenToAll(stage)
    const landing = [...SIGNATURES]
    const wereLanded: string[] = []

    for (let round = 0; round < 60; round++) {
      doHarm(stage, chance)
      await stage.run(chance.between(1, 5) * 400, () => {
        const landed = chance.fraction() < 0.2 ? landing.splice(0, 1) : []
        wereLanded.push(...landed)
        const accounts = ACCOUNTS.filter(() => chance.fraction() < 0.15)
        cluster.mine({ accounts, landed }, chance.fraction() < 0.2 ? chance.between(1, 3) : 0)
      })
    }
    for (const node of cluster.nodes) Object.assign(node, { isDead: false, isHung: false, lag: 0 })
    await stage.run(60_000)

    for (const one of heard.accounts) judgeAccount(stage, one)
    judgeSlots(stage, heard.slots, ({ slot }) => slot)
    judgeSlots(stage, heard.roots, (slot) => slot)
    for (const one of heard.signatures) judgeSignature(one, wereLanded)
    judgeProgram(stage, heard.program)
    stage.stop()
  })
})

async function listenToAll(stage: PubsubStage) {
  const accounts: Heard[] = []
  const signatures: Heard[] = []
  for (const commitment of LEVELS) {
    for (const pubkey of ACCOUNTS) {
      const config = { commitment, encoding: 'base64' }
      accounts.push(await stage.listen('accountSubscribe', pubkey, config))
    }
    for (const signature of SIGNATURES) {
      signatures.push(await stage.listen('signatureSubscribe', signature, { commitment }))
    }
  }
  const slots = await stage.listen('slotSubscribe')
  const roots = await stage.listen('rootSubscribe')
  const config = { commitment: 'confirmed', encoding: 'base64', filters: FILTERS }
  const program = await stage.listen('programSubscribe', PROGRAM, config)
  return { accounts, signatures, slots, roots, program }
}

/** One node at most is dead or hung, so that there is always one to go on with. */
function doHarm({ cluster }: PubsubStage, chance: Chance): void {
  for (const node of cluster.nodes) Object.assign(node, { isDead: false, isHung: false })
  const node = chance.pick(cluster.nodes)
  const harm = chance.between(0, 5)
  if (harm === 0) node.isDead = true
  if (harm === 1) node.isHung = true
  if (harm === 2) node.lag = chance.between(0, 40)
  if (harm === 3) node.lag = 0
  if (harm === 0 || harm === 4) node.hangUp()
  cluster.settle()
}

function judgeAccount({ cluster }: PubsubStage, { told, lost, params }: Heard): void {
  const [pubkey, { commitment }] = params as [string, { commitment: Level }]
  expect(lost).toEqual([])
  const slots = told.map(({ context }) => context.slot)
  expect(slots).toEqual(slots.toSorted((a, b) => a - b))
  const last = told.at(-1)?.value.lamports ?? 0
  expect(last).toBe(cluster.valueAt(pubkey, commitment) ?? 0)
}

/** Each block from the first to the last one told, once and in order. */
// biome-ignore lint/suspicious/noExplicitAny: notifications of two shapes.
function judgeSlots({ cluster }: PubsubStage, heard: Heard, slotOf: (told: any) => number): void {
  const slots = heard.told.map(slotOf)
  const [first = 0] = slots
  const last = slots.at(-1) ?? 0
  expect(heard.lost).toEqual([])
  expect(slots).toEqual(cluster.slots().filter((slot) => slot >= first && slot <= last))
  expect(cluster.slots().at(-1)! - last).toBeLessThan(10)
}

function judgeSignature({ told, done, lost, params }: Heard, landed: readonly string[]): void {
  const times = landed.includes(String(params[0])) ? 1 : 0
  expect([told.length, done, lost.length]).toEqual([times, times, 0])
}

/** The last word on each account that exists is the true one. */
function judgeProgram({ cluster }: PubsubStage, { told, lost }: Heard): void {
  expect(lost).toEqual([])
  for (const pubkey of ACCOUNTS) {
    const own = told.filter(({ value }) => value.pubkey === pubkey)
    const slots = own.map(({ context }) => context.slot)
    expect(slots).toEqual(slots.toSorted((a, b) => a - b))
    const value = cluster.valueAt(pubkey, 'confirmed')
    if (value !== null) expect(own.at(-1)?.value.account.lamports).toBe(value)
  }
}
