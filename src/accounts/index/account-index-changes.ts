import { coalesced } from '../../core/async/coalesced.ts'
import type { AccountChange, AccountStore } from '../../ports/account-store.ts'

export type ChangeQueue = ReturnType<typeof openChangeQueue>

/** A store that is this far behind does not catch up; a scan is quicker. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/** `failed` is told when a change could not be written down: something is missing from then on. */
export function openChangeQueue(store: AccountStore, failed: (reason: string) => void) {
  let waiting: AccountChange[] = []
  let waitingBytes = 0

  const clear = () => {
    waiting = []
    waitingBytes = 0
  }
  const writing = coalesced(
    async () => {
      const batch = waiting
      clear()
      if (batch.length === 0) return
      const { refused } = await store.apply(batch)
      if (refused > 0) failed('garbage')
    },
    () => failed('store_failed'),
  )

  return {
    /** False when more waits than there is room for. */
    add(change: AccountChange) {
      waiting.push(change)
      waitingBytes += change.record.length
      writing.ask()
      return waitingBytes <= WAITING_BYTES_MAX
    },
    /** Resolves when all that was added before is in the store. */
    drained: writing.idle,
    clear,
  }
}
