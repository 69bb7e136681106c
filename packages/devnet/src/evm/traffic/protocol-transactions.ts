import { CONTRACTS, METHODS, VAULT_CREATION } from '../contracts/contracts.ts'
import { encodeCall } from '../contracts/encode-call.ts'
import { ether } from './token-transactions.ts'
import type { Draft, TransactionContext, TransactionMaker } from './transaction-context.ts'

const { vaultFactory } = METHODS
const GAS = 600_000
const TOO_LITTLE_GAS = 60_000

const REASONS = ['a fair price', 'not yet', 'as agreed in the call', ''] as const
const PROPOSALS = ['Lower the fee', 'Pay the lighthouse', 'Open another harbour'] as const

/** An account that has the code of the vault factory run in its place (EIP-7702). */
const DELEGATOR = '0x1bd4ffe459df01cc8fc3dfef5b7d97c348d063aa'

/** Signed once, for any chain and the first nonce; later it changes nothing, and does no harm. */
const DELEGATION = {
  chainId: '0x0',
  address: CONTRACTS.vaultFactory,
  nonce: '0x0',
  yParity: '0x1',
  r: '0xfa4e897d378036045242c9a3c44d6b7ae76e52529b2e54998a17e162d7aed735',
  s: '0x6f4fbe8bd84863d9533daa3bd4b0a4956156c7773aff78c3078f09148b7f78b0',
}

function call(
  { trader }: TransactionContext,
  to: string,
  data: string,
  more: Partial<Draft> = {},
): Draft[] {
  return [{ from: trader, to, data, gas: GAS, ...more }]
}

export const createVault: TransactionMaker = (context) =>
  call(context, CONTRACTS.vaultFactory, vaultFactory.create, { value: some(context, 0, 20) })

export const createVaultAt: TransactionMaker = (context) => {
  const salt = BigInt(context.height) * 1000n + BigInt(context.place)
  const data = encodeCall(vaultFactory.createAt, salt)
  return call(context, CONTRACTS.vaultFactory, data, { value: some(context, 1, 20) })
}

export const deployVault: TransactionMaker = ({ trader }) => [
  { from: trader, data: encodeCall(VAULT_CREATION, trader), gas: GAS },
]

export const shareEther: TransactionMaker = (context) => {
  const data = encodeCall(vaultFactory.share, { list: [context.other, context.stranger] })
  return call(context, CONTRACTS.vaultFactory, data, { value: some(context, 2, 40) })
}

export const delegate: TransactionMaker = (context) => {
  const data = encodeCall(vaultFactory.share, { list: [context.stranger, context.other] })
  const value = some(context, 2, 40)
  return call(context, DELEGATOR, data, { value, authorizationList: [DELEGATION] })
}

export const runOutOfGas: TransactionMaker = (context) => {
  const data = encodeCall(vaultFactory.work, 1_000_000n)
  return call(context, CONTRACTS.vaultFactory, data, { gas: TOO_LITTLE_GAS })
}

export const tellPrice: TransactionMaker = (context) => {
  const price = BigInt(context.choices.between(2900, 3100)) * 10n ** 8n
  return call(context, CONTRACTS.priceFeed, encodeCall(METHODS.priceFeed.update, price))
}

export const propose: TransactionMaker = (context) => {
  const asked = { bytes: METHODS.priceFeed.latestAnswer }
  const text = { text: context.choices.pick(PROPOSALS) }
  const data = encodeCall(METHODS.governor.propose, CONTRACTS.priceFeed, asked, text)
  return call(context, CONTRACTS.governor, data)
}

export const vote: TransactionMaker = async (context) => {
  const { choices, read } = context
  const [proposals = 0n] = (await read(CONTRACTS.governor, METHODS.governor.proposals)) ?? []
  const reason = { text: choices.pick(REASONS) }
  const support = BigInt(choices.between(0, 2))
  const data = encodeCall(METHODS.governor.castVote, proposals, support, reason)
  return call(context, CONTRACTS.governor, data)
}

/** The multisig passes ether on, which is a transfer inside of a call. */
export const execute: TransactionMaker = (context) => {
  const value = some(context, 1, 30)
  const { execTransaction } = METHODS.multisig
  const data = encodeCall(execTransaction, context.stranger, value, { bytes: '0x' })
  return call(context, CONTRACTS.multisig, data, { value })
}

/** The call inside fails, and the transaction does not. */
export const executeFailing: TransactionMaker = (context) => {
  const inner = encodeCall(METHODS.token.transfer, context.other, 2n ** 200n)
  const { execTransaction } = METHODS.multisig
  const data = encodeCall(execTransaction, CONTRACTS.dollar, 0n, { bytes: inner })
  return call(context, CONTRACTS.multisig, data)
}

export const operate: TransactionMaker = (context) => {
  const inner = { bytes: encodeCall(METHODS.token.mint, context.other, 5_000_000n) }
  const data = encodeCall(METHODS.entryPoint.handleOp, context.other, CONTRACTS.dollar, inner)
  return call(context, CONTRACTS.entryPoint, data)
}

export const bridge: TransactionMaker = (context) => {
  const data = encodeCall(METHODS.bridge.depositTransaction, context.trader, 100_000n)
  return call(context, CONTRACTS.bridge, data, { value: some(context, 1, 30) })
}

export const liquidate: TransactionMaker = (context) => {
  const { lender, wrappedEther, dollar } = CONTRACTS
  const debt = BigInt(context.choices.between(100, 9000)) * 10n ** 6n
  const data = encodeCall(METHODS.lender.liquidate, wrappedEther, dollar, context.other, debt)
  return call(context, lender, data)
}

export const upgrade: TransactionMaker = (context) => {
  const implementation = context.height % 2 === 0 ? CONTRACTS.priceFeed : CONTRACTS.governor
  return call(context, CONTRACTS.proxy, encodeCall(METHODS.proxy.upgradeTo, implementation))
}

/** Thousandths of an ether, from so many to so many. */
function some({ choices }: TransactionContext, least: number, most: number): bigint {
  return ether(choices.between(least, most))
}
