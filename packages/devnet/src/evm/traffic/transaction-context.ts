import { seededChoices } from '../../seeded-choices.ts'
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

export type TransactionContext = ReturnType<typeof openTransactionContext>

/** Makes a trader's transactions, in this order; some of them only prepare the last. */
export type TransactionMaker = (
  context: TransactionContext,
) => readonly Draft[] | Promise<readonly Draft[]>

const STRANGERS = 32

const ADDRESSES = TRADERS.map(([address]) => address)

/** The same height and place give the same context. */
export function openTransactionContext(chain: RawChain, height: number, place: number) {
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
    /** An account without a key, used as a recipient. */
    stranger: `0x57a4${strangerNumber.padStart(36, '0')}`,
    /** The words that a contract returns as of the last block; null if it refuses. */
    async read(to: string, selector: string, ...args: Argument[]) {
      const call = { from: trader, to, data: encodeCall(selector, ...args) }
      const text = await chain.ask('eth_call', [call, 'latest'])
      const { result } = JSON.parse(text ?? '{}') as { result?: string }
      if (result === undefined) return null
      return (result.slice(2).match(/.{64}/g) ?? []).map((digits) => BigInt(`0x${digits}`))
    },
  }
}
