import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Address, createSolanaRpc } from '@solana/kit'
import { Connection, PublicKey } from '@solana/web3.js'
import { sized } from '../../support/basics/sized.ts'
import { startHeadgate, type TestHeadgate } from '../../support/product/headgate.ts'
import { churnAccounts } from '../../support/solana/solana-churn.ts'
import { type SolanaRpc, solanaRpc } from '../../support/solana/solana-rpc.ts'

setDefaultTimeout(180_000)

/** A program that nothing else is of. */
const PROGRAM = 'Headgate11111111111111111111111111111111111'
/** `npm run test:full` has 50,000. */
const ACCOUNTS = sized(5_000, 50_000)
const PAGE_RECORDS = ACCOUNTS / 10
const SLOT_TIME_MS = 50

type Page = { keys: string[]; slot: bigint; pageKey: string | undefined }
type ReadPage = (pageKey: string | undefined) => Promise<Page>

let headgate: TestHeadgate
let ledger: SolanaRpc
let url: string
/** In which slots each account came and went, as the ledger told. */
const lives = new Map<string, { from: number; to: number }>()

beforeAll(async () => {
  headgate = await startHeadgate({ env: { HEADGATE_DEVNET_SLOT_TIME_MS: String(SLOT_TIME_MS) } })
  url = `${headgate.url}/solana-devnet/v2/${headgate.appKey}`
  const own = headgate.running.settings.networks.find(({ slug }) => slug === 'solana-devnet')
  ledger = solanaRpc(own?.upstreams[0]?.url ?? '')
  // In parts, each of which a busy machine makes well before a call is given up.
  for (let made = 0; made < ACCOUNTS; made += PAGE_RECORDS) await churn({ create: PAGE_RECORDS })
  await ledger.call('headgate_advanceSlots', 40)
})

afterAll(() => headgate.stop())

test('@solana/kit walks many accounts while they change: each once, all of one slot', async () => {
  const rpc = createSolanaRpc(url)
  await walksThroughChange(async (pageKey) => {
    const config = { encoding: 'base64', limit: PAGE_RECORDS, ...(pageKey ? { pageKey } : {}) }
    const options = { ...config, withContext: true } as { encoding: 'base64'; withContext: true }
    const { context, value, ...rest } = await rpc
      .getProgramAccounts(PROGRAM as Address, options)
      .send()
    const keys = value.map(({ pubkey }) => String(pubkey))
    return { keys, slot: context.slot, pageKey: (rest as { pageKey?: string }).pageKey }
  })
})

test('@solana/web3.js walks them as well', async () => {
  const connection = new Connection(url, 'finalized')
  await walksThroughChange(async (pageKey) => {
    const config = { limit: PAGE_RECORDS, ...(pageKey ? { pageKey } : {}) }
    const options = { ...config, withContext: true } as { withContext: true }
    const { context, value, ...rest } = await connection.getProgramAccounts(
      new PublicKey(PROGRAM),
      options,
    )
    const keys = value.map(({ pubkey }) => pubkey.toBase58())
    return { keys, slot: BigInt(context.slot), pageKey: (rest as { pageKey?: string }).pageKey }
  })
})

async function walksThroughChange(read: ReadPage): Promise<void> {
  let isWalking = true
  const changing = (async () => {
    while (isWalking) await churn({ create: 25, change: 25, close: 25 })
  })()
  const keys: string[] = []
  const slots = new Set<bigint>()
  let pageKey: string | undefined
  do {
    const page = await read(pageKey)
    keys.push(...page.keys)
    slots.add(page.slot)
    pageKey = page.pageKey
  } while (pageKey !== undefined)
  isWalking = false
  await changing

  expect(slots.size).toBe(1)
  const slot = Number([...slots][0])
  const there = [...lives].filter(([, { from, to }]) => from <= slot && slot < to)
  expect(there.length).toBeGreaterThanOrEqual(ACCOUNTS)
  expect(keys.length).toBe(there.length)
  const found = new Set(keys)
  expect(there.filter(([key]) => !found.has(key))).toEqual([])
}

async function churn(counts: { create?: number; change?: number; close?: number }) {
  const done = await churnAccounts(ledger, { program: PROGRAM, ...counts })
  const { slot } = done
  for (const key of done.created) lives.set(key, { from: slot, to: Number.POSITIVE_INFINITY })
  for (const key of done.closed) lives.set(key, { from: lives.get(key)?.from ?? 0, to: slot })
}
