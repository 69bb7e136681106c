import { CONTRACTS, METHODS } from '../contracts/contracts.ts'
import { encodeCall } from '../contracts/encode-call.ts'
import { TRADERS } from '../test-accounts.ts'
import { routed, supplied, type TokenName, UNITS } from './token-transactions.ts'
import type { Draft, TransactionContext, TransactionMaker } from './transaction-context.ts'

type TradedPool = {
  address: string
  tokens: readonly [TokenName, TokenName]
  begin: readonly [bigint, bigint]
}

type Side = 0 | 1

const GAS = 400_000
const POOL_CREATION_GAS = 2_000_000

/** 3,000 dollars for an ether, and two for an orchard. */
const ETHER_POOL: TradedPool = {
  address: CONTRACTS.dollarEther,
  tokens: ['dollar', 'wrappedEther'],
  begin: [3_000_000n * UNITS.dollar, 1_000n * UNITS.wrappedEther],
}
const ORCHARD_POOL: TradedPool = {
  address: CONTRACTS.dollarOrchard,
  tokens: ['dollar', 'orchard'],
  begin: [2_000_000n * UNITS.dollar, 1_000_000n * UNITS.orchard],
}

/** A swap gives a pool up to a hundredth of what it began with. */
const SWAP_SHARE = 100_000n
const SWAP_SHARES = { least: 10, most: 1000 }

/** In hundredths of what a pool began with: below it trades go one way, above it the other. */
const REST = { least: 80n, most: 125n }

/** Trader who provides the pools, so that what is begun in one block is ended in the next. */
const PROVIDER = TRADERS[0]?.[0] ?? ''

const swap: TransactionMaker = async (context) => {
  const pool = context.choices.pick([ETHER_POOL, ORCHARD_POOL])
  const reserves = await reservesOf(context, pool)
  if (reserves === null) return provide(context, pool)
  const side = sideOf(context, pool, reserves)
  return trade(context, pool, side, [pool.address], 0n)
}

/** Ether for orchards, or back, through dollars. */
const swapTwice: TransactionMaker = async (context) => {
  const pools = [ETHER_POOL, ORCHARD_POOL]
  for (const pool of pools) {
    if ((await reservesOf(context, pool)) === null) return provide(context, pool)
  }
  const reserves = await reservesOf(context, ETHER_POOL)
  // The first of the pools decides: its other token is what is given.
  const isForward = sideOf(context, ETHER_POOL, reserves ?? [1n, 1n]) === 1
  const [first, ...others] = isForward ? pools : pools.toReversed()
  if (first === undefined) return []
  const path = [first, ...others].map(({ address }) => address)
  return trade(context, first, 1, path, 0n)
}

/** Fails deep inside, after the pools have traded: no price is that good. */
const swapAtNoPrice: TransactionMaker = async (context) => {
  if ((await reservesOf(context, ETHER_POOL)) === null) return provide(context, ETHER_POOL)
  return trade(context, ETHER_POOL, 0, [ETHER_POOL.address], 2n ** 200n)
}

const createPool: TransactionMaker = ({ trader, height, place }) => {
  const { orchard, lantern, poolFactory } = CONTRACTS
  const salt = BigInt(height) * 1000n + BigInt(place)
  const data = encodeCall(METHODS.poolFactory.createPair, orchard, lantern, salt)
  return [{ from: trader, to: poolFactory, data, gas: POOL_CREATION_GAS }]
}

export const POOL_TRANSACTIONS = { swap, swapTwice, swapAtNoPrice, createPool }

/** Null for a pool that has not begun. */
async function reservesOf(
  context: TransactionContext,
  { address }: TradedPool,
): Promise<[bigint, bigint] | null> {
  const [first = 0n, second = 0n] = (await context.read(address, METHODS.pool.getReserves)) ?? []
  return first > 0n && second > 0n ? [first, second] : null
}

async function provide(
  context: TransactionContext,
  { address, tokens, begin }: TradedPool,
): Promise<Draft[]> {
  const [first, second] = tokens
  const given = [CONTRACTS[first], begin[0], CONTRACTS[second], begin[1]]
  const data = encodeCall(METHODS.router.addLiquidity, address, ...given)
  return [
    ...(await supplied(context, PROVIDER, first, begin[0])),
    ...(await routed(context, PROVIDER, first)),
    ...(await supplied(context, PROVIDER, second, begin[1])),
    ...(await routed(context, PROVIDER, second)),
    { from: PROVIDER, to: CONTRACTS.router, data, gas: GAS },
  ]
}

/** The token to give: either, unless that one would drive the price further away. */
function sideOf(
  { choices }: TransactionContext,
  { begin }: TradedPool,
  reserves: [bigint, bigint],
): Side {
  const hundredths = (reserves[0] * begin[1] * 100n) / (reserves[1] * begin[0])
  if (hundredths > REST.most) return 1
  if (hundredths < REST.least) return 0
  return choices.pick<Side>([0, 1])
}

async function trade(
  context: TransactionContext,
  { tokens, begin }: TradedPool,
  side: Side,
  path: readonly string[],
  outMin: bigint,
): Promise<Draft[]> {
  const { trader, choices } = context
  const name = tokens[side]
  const shares = BigInt(choices.between(SWAP_SHARES.least, SWAP_SHARES.most))
  const given = (begin[side] * shares) / SWAP_SHARE
  const words = [CONTRACTS[name], given, outMin, trader]
  const data = encodeCall(METHODS.router.swap, { list: path }, ...words)
  return [
    ...(await supplied(context, trader, name, given)),
    ...(await routed(context, trader, name)),
    { from: trader, to: CONTRACTS.router, data, gas: GAS },
  ]
}
