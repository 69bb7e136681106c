import type { Hex } from 'viem'

/** Code of a creation that emits these logs, each a list of topics, and leaves no contract. */
export function logsCode(logs: readonly (readonly string[])[]): Hex {
  const emitted = logs.map((topics) => {
    const pushed = topics.toReversed().map((topic) => `7f${topic.slice(2)}`)
    return `${pushed.join('')}5f5fa${topics.length}` // PUSH32s, LOGn(0, 0, ...)
  })
  return `0x${emitted.join('')}5f5ff3`
}

/**
 * A contract that passes its value on to the address in the first word of its data, with as
 * many zero bytes as the data has beyond that word. A failure of that call is not its own.
 */
export const FORWARDER_BYTECODE: Hex = deployed(
  [
    '5f5f', // where and how much of the answer to keep: nothing
    '602036035f', // its data: CALLDATASIZE - 32 bytes of empty memory
    '345f355a', // CALLVALUE, CALLDATALOAD(0), GAS
    'f15000', // CALL, POP, STOP
  ].join(''),
)

/** The data that makes the forwarder call `to`. */
export function forwardTo(to: string, dataBytes = 0): Hex {
  return `0x${to.slice(2).padStart(64, '0')}${'00'.repeat(dataBytes)}`
}

/** Copies all but its first ten bytes to memory and returns them. */
function deployed(runtime: string): Hex {
  const length = (runtime.length / 2).toString(16).padStart(2, '0')
  return `0x60${length}600a5f3960${length}5ff3${runtime}`
}
