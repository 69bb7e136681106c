import { encodeCall } from '../contracts/encode-call.ts'
import { TEST_ACCOUNTS } from '../test-accounts.ts'

/** The address of the sample token, which is there from the first block on. */
export const SAMPLE_TOKEN = '0x70ce2000000000000000000000000000000070ce'

/** keccak256 of `Transfer(address,address,uint256)`. */
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The selector of `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = '0xa9059cbb'

const ETHER_WEI = 10n ** 18n
const TOKEN_UNITS = 1_000_000n

/** A token without balances: any call emits Transfer(caller, to, value) and returns true. */
export const SAMPLE_TOKEN_CODE = Buffer.from(
  // PUSH1 32, PUSH1 36, PUSH0, CALLDATACOPY: the value.
  `602060245f37` +
    // PUSH1 4, CALLDATALOAD, CALLER, PUSH32: the three topics, the last one first.
    `60043533` +
    `7f${TRANSFER_TOPIC}` +
    // PUSH1 32, PUSH0, LOG3.
    `60205fa3` +
    // PUSH1 1, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN.
    `60015f5260205ff3`,
  'hex',
)

export type SampleWanted = { kind?: 'transfer' | 'log'; to?: string; value?: string }

const [FROM, TO] = TEST_ACCOUNTS.map(([address]) => address)

/** A transaction of the first test account, for a filter to match. */
export function sampleTransaction({ kind = 'transfer', to = TO ?? '', value }: SampleWanted) {
  const from = FROM ?? ''
  const amount = value === undefined ? (kind === 'log' ? TOKEN_UNITS : ETHER_WEI) : BigInt(value)
  const facts = { from, to: to.toLowerCase(), value: amount.toString() }
  if (kind === 'transfer') {
    const transaction = { from, to, value: `0x${amount.toString(16)}` }
    return { transaction, facts: { ...facts, contract: null } }
  }
  const data = encodeCall(TRANSFER_SELECTOR, to, amount)
  return {
    transaction: { from, to: SAMPLE_TOKEN, data, gas: '0x186a0' },
    facts: { ...facts, contract: SAMPLE_TOKEN },
  }
}
