import { TEST_ACCOUNTS } from '../../../packages/devnet/src/evm/test-accounts.ts'
import { devnetChain } from '../devnet/devnet-chain.ts'
import { FORWARDER_BYTECODE, forwardTo } from '../devnet/little-contracts.ts'
import type { TestHeadgate } from '../product/headgate.ts'

/** A log that a contract emits: its address, its topics, and one word that names the log. */
type Emitted = { name: string; at: string; topics: readonly string[] }

export type CookbookBlock = {
  number: number
  /** The name of what a transaction was sent for, by its hash. */
  names: ReadonlyMap<string, string>
}

export const [SENDER = '', DEPLOYER = '', PAYER = ''] = TEST_ACCOUNTS.map(([address]) =>
  address.toLowerCase(),
)

/** Addresses that are in the variables, and one that is in none. */
export const WALLET = `0x${'a1'.repeat(20)}`
export const POOL = `0x${'b2'.repeat(20)}`
export const STRANGER = `0x${'c3'.repeat(20)}`

const GAS = '0x30d40'
const FORWARDER = `0x${'d4'.repeat(20)}`

/** An address as a topic. */
export function asTopic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}

/**
 * Mines one block on the embedded chain in which each log is emitted by a contract at the very
 * address that it has elsewhere, and in which value moves and a contract is made.
 */
export async function mineCookbookBlock(
  headgate: TestHeadgate,
  logs: readonly Emitted[],
): Promise<CookbookBlock> {
  const chain = devnetChain(headgate)
  for (const at of new Set(logs.map((log) => log.at))) {
    await chain.call('hardhat_setCode', at, EMITTER_CODE)
  }
  // The creation code copies what it deploys from behind its first ten bytes.
  await chain.call('hardhat_setCode', FORWARDER, `0x${FORWARDER_BYTECODE.slice(22)}`)
  const names = new Map<string, string>()
  const send = async (name: string, transaction: Record<string, unknown>) => {
    names.set(await chain.call('eth_sendTransaction', { gas: GAS, ...transaction }), name)
  }
  for (const [at, { name, at: to, topics }] of logs.entries()) {
    const words = [at, ...topics].map((word) => BigInt(word).toString(16).padStart(64, '0'))
    await send(name, { from: SENDER, to, data: `0x${words.join('')}` })
  }
  await send('pays the wallet', { from: PAYER, to: WALLET, value: '0x7' })
  await send('pays a stranger', { from: PAYER, to: STRANGER, value: '0x7' })
  const data = forwardTo(WALLET)
  await send('pays the wallet inside', { from: PAYER, to: FORWARDER, value: '0x2a', data })
  await send('deploys', { from: DEPLOYER, data: FORWARDER_BYTECODE })
  await chain.mine()
  const { number } = await chain.head()
  return { number, names }
}

/**
 * A contract whose data is one word for the log's data and a word for each topic. A block of code
 * for each number of topics stands where data of that length leads to: 32 bytes a word.
 */
const EMITTER_CODE = `0x${[
  '3656', // CALLDATASIZE, JUMP
  ...[0, 1, 2, 3, 4].map((topics) =>
    [
      '5b5f355f52', // JUMPDEST, MSTORE(0, CALLDATALOAD(0))
      ...Array.from({ length: topics }, (_, at) => `60${hexByte((topics - at) * 32)}35`),
      `60205fa${topics}00`, // LOGn(0, 32, topics), STOP
    ].join(''),
  ),
]
  .map((part) => part.padEnd(64, '0'))
  .join('')}`

function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0')
}
