import { type SeededChoices, seededChoices } from '../../seeded-choices.ts'
import { type Argument, encodeCall } from '../contracts/encode-call.ts'
import type { RawChain } from '../fork/raw-chain.ts'
import { TRADERS } from '../test-accounts.ts'

/** A transaction that is yet to get its fees. */
export type Draft = {
  from: string
  to?: string
  data?: string
  value?: bigint
  gas: number
  /** EIP-7702. */
  authorizationList?: readonly object[]
}

export type TransactionContext = {
  height: number
  place: number
  choices: SeededChoices
  trader: string
  other: string
  /** Some account without a key, to which things are sent. */
  stranger: string
  /** The words that a contract answers as of the last block; null where it refuses. */
  read(to: string, selector: string, ...args: Argument[]): Promise<bigint[] | null>
}

/** Makes a trader's transactions, in this order; some of them only prepare the last. */
export type TransactionMaker = (
  context: TransactionContext,
) => readonly Draft[] | Promise<readonly Draft[]>

const STRANGERS = 32

const ADDRESSES = TRADERS.map(([address]) => address)

/** The same height and place give the same context. */
export function openTransactionContext(
  chain: RawChain,
  height: number,
  place: number,
): TransactionContext {
  const choices = seededChoices(height, place)
  const trader = choices.pick(ADDRESSES)
  const other = choices.pick(ADDRESSES.filter((address) => address !== trader))
  const strangerNumber = choices.between(1, STRANGERS).toString(16)
  return {
    height,
    place,
    choices,
    trader,
    other,
    stranger: `0x57a4${strangerNumber.padStart(36, '0')}`,
    async read(to, selector, ...args) {
      const call = { from: trader, to, data: encodeCall(selector, ...args) }
      const text = await chain.ask('eth_call', [call, 'latest'])
      const { result } = JSON.parse(text ?? '{}') as { result?: string }
      if (result === undefined) return null
      return (result.slice(2).match(/.{64}/g) ?? []).map((digits) => BigInt(`0x${digits}`))
    },
  }
}
