import type { Header } from '../../../core/chain/block.ts'
import type { LogText } from '../../../core/subscriptions/log-text.ts'

/** A block of the chain that is followed, with what its removal would take. */
export type FollowedBlock = {
  header: Header
  /** The logs that somebody was told of; null where they were let go to save memory. */
  logs: readonly LogText[] | null
}

export type HeldBlocks = ReturnType<typeof openHeldBlocks>

/** The logs of hours on a busy chain. */
const LOG_CHARS_MAX = 32 * 1024 * 1024

/** The blocks that may still be replaced, by hash. */
export function openHeldBlocks() {
  // In the order in which they came, so the oldest is first.
  const held = new Map<string, FollowedBlock>()
  let chars = 0

  const remove = (block: FollowedBlock) => {
    held.delete(block.header.hash)
    chars -= charsOf(block)
  }

  const shrink = () => {
    for (const block of held.values()) {
      if (chars <= LOG_CHARS_MAX) return
      chars -= charsOf(block)
      block.logs = null
    }
  }

  return {
    add(block: FollowedBlock): void {
      held.set(block.header.hash, block)
      chars += charsOf(block)
      if (chars > LOG_CHARS_MAX) shrink()
    },
    /** Removes the blocks of these headers, and returns those that were held. */
    take(headers: readonly Header[]): FollowedBlock[] {
      const found = headers.flatMap(({ hash }) => held.get(hash) ?? [])
      found.forEach(remove)
      return found
    },
    /** Removes blocks below a height: they are final. */
    keepFrom(number: number): void {
      for (const block of held.values()) {
        if (block.header.number >= number) return
        remove(block)
      }
    },
  }
}

function charsOf({ logs }: FollowedBlock): number {
  return logs === null ? 0 : logs.reduce((sum, { opening }) => sum + opening.length, 0)
}
