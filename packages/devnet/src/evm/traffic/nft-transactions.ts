import { CONTRACTS, METHODS } from '../contracts/contracts.ts'
import { type Argument, encodeCall } from '../contracts/encode-call.ts'
import { TRADERS } from '../test-accounts.ts'
import { ether } from './token-transactions.ts'
import type { Draft, TransactionContext, TransactionMaker } from './transaction-context.ts'

const { collection, market } = METHODS
const GAS = 400_000

/** Two of the traders sell, so that it does not take long until something is offered. */
const SELLERS = TRADERS.slice(0, 2).map(([address]) => address)

const mintNft: TransactionMaker = ({ trader, stranger, choices }) => [
  callCollection(trader, collection.mint, choices.pick([trader, trader, stranger])),
]

const sendNft: TransactionMaker = async (context) => {
  const { trader, other } = context
  const nft = await someNft(context, trader)
  if (nft === null) return [callCollection(trader, collection.mint, trader)]
  return [callCollection(trader, collection.transferFrom, trader, other, nft)]
}

const buyNft: TransactionMaker = async (context) => {
  const { trader, choices } = context
  const seller = choices.pick(SELLERS.filter((address) => address !== trader))
  const offered = [seller, CONTRACTS.market] as const
  const [isOffered = 0n] =
    (await context.read(CONTRACTS.collection, collection.isApprovedForAll, ...offered)) ?? []
  const offer = callCollection(seller, collection.setApprovalForAll, CONTRACTS.market, 1n)
  const prepared = isOffered === 1n ? [] : [offer]
  const nft = await someNft(context, seller)
  if (nft === null) return [...prepared, callCollection(seller, collection.mint, seller)]
  const data = encodeCall(market.buy, CONTRACTS.collection, nft)
  const value = ether(choices.between(10, 900))
  return [...prepared, { from: trader, to: CONTRACTS.market, data, value, gas: GAS }]
}

const approveNft: TransactionMaker = async (context) => {
  const { trader, other } = context
  const nft = await someNft(context, trader)
  if (nft === null) return [callCollection(trader, collection.setApprovalForAll, other, 0n)]
  return [callCollection(trader, collection.approve, other, nft)]
}

export const NFT_TRANSACTIONS = { mintNft, sendNft, buyNft, approveNft }

/** Null for an owner who has none. */
async function someNft(
  { read, choices }: TransactionContext,
  owner: string,
): Promise<bigint | null> {
  const [count = 0n] = (await read(CONTRACTS.collection, collection.balanceOf, owner)) ?? []
  if (count === 0n) return null
  const place = BigInt(choices.between(0, Number(count) - 1))
  const found = await read(CONTRACTS.collection, collection.tokenOfOwnerByIndex, owner, place)
  return found?.[0] ?? null
}

function callCollection(from: string, selector: string, ...args: Argument[]): Draft {
  return { from, to: CONTRACTS.collection, data: encodeCall(selector, ...args), gas: GAS }
}
