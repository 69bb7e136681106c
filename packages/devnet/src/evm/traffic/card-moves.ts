import { CONTRACTS, METHODS } from '../contracts/contracts.ts'
import { type Argument, encodeCall } from '../contracts/encode-call.ts'
import { ether } from './token-moves.ts'
import { TRADERS } from './traders.ts'
import type { Draft, Move, Turn } from './turn.ts'

const { collection, market } = METHODS
const GAS = 400_000

/** Two of the traders sell, so that it does not take long until something is offered. */
const SELLERS = TRADERS.slice(0, 2).map(([address]) => address)

const mintCard: Move = ({ trader, stranger, choices }) => [
  callCollection(trader, collection.mint, choices.pick([trader, trader, stranger])),
]

const sendCard: Move = async (turn) => {
  const { trader, other } = turn
  const card = await someCard(turn, trader)
  if (card === null) return [callCollection(trader, collection.mint, trader)]
  return [callCollection(trader, collection.transferFrom, trader, other, card)]
}

/** Buys a card of a seller, who first has to have and to offer some. */
const buyCard: Move = async (turn) => {
  const { trader, choices } = turn
  const seller = choices.pick(SELLERS.filter((address) => address !== trader))
  const offered = [seller, CONTRACTS.market] as const
  const [isOffered = 0n] =
    (await turn.read(CONTRACTS.collection, collection.isApprovedForAll, ...offered)) ?? []
  const offer = callCollection(seller, collection.setApprovalForAll, CONTRACTS.market, 1n)
  const prepared = isOffered === 1n ? [] : [offer]
  const card = await someCard(turn, seller)
  if (card === null) return [...prepared, callCollection(seller, collection.mint, seller)]
  const data = encodeCall(market.buy, CONTRACTS.collection, card)
  const value = ether(choices.between(10, 900))
  return [...prepared, { from: trader, to: CONTRACTS.market, data, value, gas: GAS }]
}

/** Lets another trader move a card, or ends that for all cards. */
const approveCard: Move = async (turn) => {
  const { trader, other } = turn
  const card = await someCard(turn, trader)
  if (card === null) return [callCollection(trader, collection.setApprovalForAll, other, 0n)]
  return [callCollection(trader, collection.approve, other, card)]
}

/** Moves with the cards of the collection, each of which is there once. */
export const CARD_MOVES = { mintCard, sendCard, buyCard, approveCard }

/** Null for an owner who has none. */
async function someCard({ read, choices }: Turn, owner: string): Promise<bigint | null> {
  const [count = 0n] = (await read(CONTRACTS.collection, collection.balanceOf, owner)) ?? []
  if (count === 0n) return null
  const place = BigInt(choices.between(0, Number(count) - 1))
  const found = await read(CONTRACTS.collection, collection.tokenOfOwnerByIndex, owner, place)
  return found?.[0] ?? null
}

function callCollection(from: string, selector: string, ...args: Argument[]): Draft {
  return { from, to: CONTRACTS.collection, data: encodeCall(selector, ...args), gas: GAS }
}
