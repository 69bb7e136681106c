import { TEST_ACCOUNTS } from '../test-accounts.ts'
import { chainControl } from './chain-controls.ts'
import { CHANGED_METHODS } from './changed-methods.ts'
import { type ForkOptions, openForkParts } from './fork-parts.ts'
import {
  ChainRefusal,
  errorText,
  INVALID_PARAMS,
  type RawChain,
  SERVER_ERROR,
} from './raw-chain.ts'
import { openReadWriteLock } from './read-write-lock.ts'

export type ForkableChain = Pick<RawChain, 'ask'>

/** The chain has the keys of traffic's accounts as well, which nobody else is to use. */
const ACCOUNTS = JSON.stringify({ result: TEST_ACCOUNTS.map(([address]) => address) })

/**
 * The chain with a way back from each of its last blocks. Calls that change it run alone, so that
 * nobody sees a reorganisation half done: all questions are asked before it or after it.
 */
export function openForkableChain(options: ForkOptions): ForkableChain {
  const lock = openReadWriteLock()
  const parts = openForkParts(options, lock)
  return {
    async ask(method, params) {
      if (method === 'eth_accounts') return ACCOUNTS
      const control = chainControl(method)
      if (control) {
        const hold = method === 'headgate_state' ? lock.shared : lock.exclusive
        return hold(() => refusalAnswered(INVALID_PARAMS, control(parts, params)))
      }
      const changed = Array.isArray(params) ? CHANGED_METHODS.get(method) : undefined
      if (!changed) return lock.shared(() => parts.chain.ask(method, params))
      return lock.exclusive(() =>
        refusalAnswered(SERVER_ERROR, changed(parts, params as unknown[])),
      )
    },
  }
}

async function refusalAnswered(
  code: number,
  running: Promise<string | null>,
): Promise<string | null> {
  try {
    return await running
  } catch (thrown) {
    if (!(thrown instanceof ChainRefusal)) throw thrown
    return errorText(code, thrown.message)
  }
}
