import { Rejection } from '../core/errors.ts'

export type UnreadBudget = ReturnType<typeof openUnreadBudget>

export type UnreadReservation = ReturnType<UnreadBudget['open']>

const UNREAD = 'Too many large answers to this app have not been read yet; please try again.'

/**
 * Bounds the memory of answers that clients have not read yet, over all connections. A caller may
 * hold as much as it leaves free, so that one that does not read, by accident or on purpose, never
 * takes the room of those that do.
 */
export function openUnreadBudget(bytesMax: () => number) {
  const heldBy = new Map<string, number>()
  let heldBytes = 0

  const mayTake = (caller: string, bytes: number): boolean => {
    const own = heldBy.get(caller) ?? 0
    const freeBytes = bytesMax() - heldBytes - bytes
    // The first is taken if there is any room for it: its size is not the caller's fault.
    return own === 0 ? freeBytes >= 0 : own + bytes <= freeBytes
  }

  const add = (caller: string, bytes: number) => {
    heldBytes += bytes
    const own = (heldBy.get(caller) ?? 0) + bytes
    if (own === 0) heldBy.delete(caller)
    else heldBy.set(caller, own)
  }

  return {
    /** False when one more large answer of this caller would be refused, whatever its size. */
    hasRoom: (caller: string) => mayTake(caller, 1),
    open(caller: string) {
      let taken = 0
      return {
        /** Reserves this many bytes more; false: there is no room left for this caller. */
        grow(bytes: number): boolean {
          if (!mayTake(caller, bytes)) return false
          taken += bytes
          add(caller, bytes)
          return true
        },
        release(): void {
          add(caller, -taken)
          taken = 0
        },
      }
    },
  }
}

export function unreadAnswers(): Rejection {
  return new Rejection('unread_answers', UNREAD, { retryAfterS: 1 })
}
