import { CONTRACTS, METHODS, VAULT_CREATION } from '../contracts/contracts.ts'
import { encodeCall } from '../contracts/encode-call.ts'
import { ether } from './token-transactions.ts'
import type { TransactionMaker } from './transaction-context.ts'

/** Moves with everything but tokens: vaults, calls inside of calls, and protocols. */

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

export const createVault: TransactionMaker = ({ trader, choices }) => [
  {
    from: trader,
    to: CONTRACTS.vaultFactory,
    data: vaultFactory.create,
    value: ether(choices.between(0, 20)),
    gas: GAS,
  },
]

export const createVaultAt: TransactionMaker = ({ trader, height, place, choices }) => [
  {
    from: trader,
    to: CONTRACTS.vaultFactory,
    data: encodeCall(vaultFactory.createAt, BigInt(height) * 1000n + BigInt(place)),
    value: ether(choices.between(1, 20)),
    gas: GAS,
  },
]

/** A transaction that is no call: its data makes the contract. */
export const deployVault: TransactionMaker = ({ trader }) => [
  { from: trader, data: encodeCall(VAULT_CREATION, trader), gas: GAS },
]

export const shareEther: TransactionMaker = ({ trader, other, stranger, choices }) => [
  {
    from: trader,
    to: CONTRACTS.vaultFactory,
    data: encodeCall(vaultFactory.share, { list: [other, stranger] }),
    value: ether(choices.between(2, 40)),
    gas: GAS,
  },
]

export const delegate: TransactionMaker = ({ trader, other, stranger, choices }) => [
  {
    from: trader,
    to: DELEGATOR,
    data: encodeCall(vaultFactory.share, { list: [stranger, other] }),
    value: ether(choices.between(2, 40)),
    gas: GAS,
    authorizationList: [DELEGATION],
  },
]

export const runOutOfGas: TransactionMaker = ({ trader }) => [
  {
    from: trader,
    to: CONTRACTS.vaultFactory,
    data: encodeCall(vaultFactory.work, 1_000_000n),
    gas: TOO_LITTLE_GAS,
  },
]

export const tellPrice: TransactionMaker = ({ trader, choices }) => [
  {
    from: trader,
    to: CONTRACTS.priceFeed,
    data: encodeCall(METHODS.priceFeed.update, BigInt(choices.between(2900, 3100)) * 10n ** 8n),
    gas: GAS,
  },
]

export const propose: TransactionMaker = ({ trader, choices }) => [
  {
    from: trader,
    to: CONTRACTS.governor,
    data: encodeCall(
      METHODS.governor.propose,
      CONTRACTS.priceFeed,
      { bytes: METHODS.priceFeed.latestAnswer },
      { text: choices.pick(PROPOSALS) },
    ),
    gas: GAS,
  },
]

export const vote: TransactionMaker = async ({ trader, choices, read }) => {
  const [proposals = 0n] = (await read(CONTRACTS.governor, METHODS.governor.proposals)) ?? []
  const reason = { text: choices.pick(REASONS) }
  const support = BigInt(choices.between(0, 2))
  const data = encodeCall(METHODS.governor.castVote, proposals, support, reason)
  return [{ from: trader, to: CONTRACTS.governor, data, gas: GAS }]
}

/** The multisig passes ether on, which is a transfer inside of a call. */
export const execute: TransactionMaker = ({ trader, stranger, choices }) => {
  const value = ether(choices.between(1, 30))
  const { execTransaction } = METHODS.multisig
  const data = encodeCall(execTransaction, stranger, value, { bytes: '0x' })
  return [{ from: trader, to: CONTRACTS.multisig, data, value, gas: GAS }]
}

/** The call inside fails, and the transaction does not. */
export const executeFailing: TransactionMaker = ({ trader, other }) => {
  const inner = encodeCall(METHODS.token.transfer, other, 2n ** 200n)
  const { execTransaction } = METHODS.multisig
  const data = encodeCall(execTransaction, CONTRACTS.dollar, 0n, { bytes: inner })
  return [{ from: trader, to: CONTRACTS.multisig, data, gas: GAS }]
}

export const operate: TransactionMaker = ({ trader, other }) => {
  const inner = { bytes: encodeCall(METHODS.token.mint, other, 5_000_000n) }
  const data = encodeCall(METHODS.entryPoint.handleOp, other, CONTRACTS.dollar, inner)
  return [{ from: trader, to: CONTRACTS.entryPoint, data, gas: GAS }]
}

export const bridge: TransactionMaker = ({ trader, choices }) => [
  {
    from: trader,
    to: CONTRACTS.bridge,
    data: encodeCall(METHODS.bridge.depositTransaction, trader, 100_000n),
    value: ether(choices.between(1, 30)),
    gas: GAS,
  },
]

export const liquidate: TransactionMaker = ({ trader, other, choices }) => {
  const { lender, wrappedEther, dollar } = CONTRACTS
  const debt = BigInt(choices.between(100, 9000)) * 10n ** 6n
  const data = encodeCall(METHODS.lender.liquidate, wrappedEther, dollar, other, debt)
  return [{ from: trader, to: lender, data, gas: GAS }]
}

export const upgrade: TransactionMaker = ({ trader, height }) => {
  const { proxy, priceFeed, governor } = CONTRACTS
  const implementation = height % 2 === 0 ? priceFeed : governor
  const data = encodeCall(METHODS.proxy.upgradeTo, implementation)
  return [{ from: trader, to: proxy, data, gas: GAS }]
}
