import { parseAbi, toEventSelector } from 'viem'

/**
 * A contract small enough to write by hand. Called without data it emits `Ping` with
 * the value it was sent; called with any data it reverts with a reason.
 */
export const PING_ABI = parseAbi([
  'event Ping(uint256 value)',
  'function fail() view returns (uint256)',
])

export const PING_TOPIC = toEventSelector('event Ping(uint256 value)')

export const PING_REASON = 'no entry'

const REVERT_AT = '2d'
const REASON_AT = '38'

/** `Error(string)` with its selector: 4 + 3 words, which is 0x64 bytes. */
const REASON_LENGTH = '64'

const RUNTIME = [
  `3660${REVERT_AT}57`, // CALLDATASIZE, JUMPI to the revert when there is data
  '345f52', // MSTORE(0, CALLVALUE)
  `7f${PING_TOPIC.slice(2)}60205fa100`, // LOG1(0, 32, topic), STOP
  `5b60${REASON_LENGTH}60${REASON_AT}5f39`, // CODECOPY(0, REASON_AT, REASON_LENGTH)
  `60${REASON_LENGTH}5ffd`, // REVERT(0, REASON_LENGTH)
  `08c379a0${word('20')}${word('8')}${Buffer.from(PING_REASON).toString('hex').padEnd(64, '0')}`,
].join('')

const RUNTIME_LENGTH = (RUNTIME.length / 2).toString(16)

/** The code that is deployed: copies all but its first ten bytes to memory and returns them. */
export const PING_BYTECODE =
  `0x60${RUNTIME_LENGTH}600a5f3960${RUNTIME_LENGTH}5ff3${RUNTIME}` as const

function word(hex: string): string {
  return hex.padStart(64, '0')
}
