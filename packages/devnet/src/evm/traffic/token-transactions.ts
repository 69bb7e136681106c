import { CONTRACTS, METHODS } from '../contracts/contracts.ts'
import { encodeCall } from '../contracts/encode-call.ts'
import type { Draft, TransactionContext, TransactionMaker } from './transaction-context.ts'

export type TokenName = 'dollar' | 'orchard' | 'lantern' | 'wrappedEther'

const { token } = METHODS
const GAS = 120_000
const ETHER_TRANSFER_GAS = 30_000
const FOR_EVER = 2n ** 256n - 1n

/** One of each token in its smallest units. */
export const UNITS: Readonly<Record<TokenName, bigint>> = {
  dollar: 10n ** 6n,
  orchard: 10n ** 18n,
  lantern: 10n ** 18n,
  wrappedEther: 10n ** 18n,
}

/** A trader who runs low gets so many times what is needed at once, and rarely needs more. */
const SUPPLY_FACTOR = 50n

const ISSUED: readonly TokenName[] = ['dollar', 'orchard', 'lantern']

export const sendEther: TransactionMaker = ({ trader, choices, stranger, other }) => [
  {
    from: trader,
    to: choices.pick([stranger, other]),
    value: ether(choices.between(1, 50)),
    gas: ETHER_TRANSFER_GAS,
  },
]

export const sendToken: TransactionMaker = async (context) => {
  const { choices, trader } = context
  const [name, value] = someTokens(context)
  const to = choices.pick([context.stranger, context.other])
  return [
    ...(await supplied(context, trader, name, value)),
    callToken(trader, name, token.transfer, to, value),
  ]
}

export const approve: TransactionMaker = (context) => {
  const [name, value] = someTokens(context)
  return [callToken(context.trader, name, token.approve, context.other, value)]
}

export const takeApproved: TransactionMaker = async (context) => {
  const { trader, other } = context
  const [name, value] = someTokens(context)
  const [allowed = 0n] = (await context.read(CONTRACTS[name], token.allowance, other, trader)) ?? []
  if (allowed < value) return [callToken(other, name, token.approve, trader, value * 20n)]
  return [
    ...(await supplied(context, other, name, value)),
    callToken(trader, name, token.transferFrom, other, trader, value),
  ]
}

export const issue: TransactionMaker = (context) => {
  const { trader, choices } = context
  const name = choices.pick(ISSUED)
  return [
    callToken(trader, name, token.mint, trader, BigInt(choices.between(1, 1000)) * UNITS[name]),
  ]
}

export const redeem: TransactionMaker = async (context) => {
  const { trader, choices } = context
  const name = choices.pick(ISSUED)
  const value = BigInt(choices.between(1, 100)) * UNITS[name]
  const prepared = await supplied(context, trader, name, value)
  return [...prepared, callToken(trader, name, token.burn, value)]
}

export const wrap: TransactionMaker = ({ trader, choices }) => [
  deposit(trader, ether(choices.between(1, 200))),
]

export const unwrap: TransactionMaker = async (context) => {
  const { trader, choices } = context
  const value = ether(choices.between(1, 100))
  const prepared = await supplied(context, trader, 'wrappedEther', value)
  const { withdraw } = METHODS.wrappedEther
  return [...prepared, callToken(trader, 'wrappedEther', withdraw, value)]
}

/** Fails with a reason: nobody has so much. */
export const overdraw: TransactionMaker = ({ trader, other }) => [
  callToken(trader, 'lantern', token.transfer, other, 2n ** 200n),
]

/** Makes sure that the owner has so much of a token. */
export async function supplied(
  context: TransactionContext,
  owner: string,
  name: TokenName,
  value: bigint,
): Promise<Draft[]> {
  const [held = 0n] = (await context.read(CONTRACTS[name], token.balanceOf, owner)) ?? []
  if (held >= value) return []
  const supply = value * SUPPLY_FACTOR
  if (name === 'wrappedEther') return [deposit(owner, supply)]
  return [callToken(owner, name, token.mint, owner, supply)]
}

/** Makes sure that the router may take what the owner gives to a pool. */
export async function routed(
  context: TransactionContext,
  owner: string,
  name: TokenName,
): Promise<Draft[]> {
  const { router } = CONTRACTS
  const [allowed = 0n] = (await context.read(CONTRACTS[name], token.allowance, owner, router)) ?? []
  if (allowed > FOR_EVER / 2n) return []
  return [callToken(owner, name, token.approve, router, FOR_EVER)]
}

export function ether(thousandths: number): bigint {
  return BigInt(thousandths) * 10n ** 15n
}

function deposit(from: string, value: bigint): Draft {
  const { deposit: selector } = METHODS.wrappedEther
  return { from, to: CONTRACTS.wrappedEther, data: selector, value, gas: GAS }
}

function someTokens({ choices }: TransactionContext): [name: TokenName, value: bigint] {
  const name = choices.pick<TokenName>(['dollar', 'dollar', 'orchard', 'lantern', 'wrappedEther'])
  const thousandths = BigInt(choices.between(1, name === 'wrappedEther' ? 100 : 500_000))
  return [name, (thousandths * UNITS[name]) / 1000n]
}

function callToken(
  from: string,
  name: TokenName,
  selector: string,
  ...args: (string | bigint)[]
): Draft {
  return { from, to: CONTRACTS[name], data: encodeCall(selector, ...args), gas: GAS }
}
