import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { openShareQueues } from '../pool/wait-queue.ts'

export type LogPlaces = ReturnType<typeof openLogPlaces>

/** Calls of this function beyond the first do nothing. */
type Once = () => void

export type LogPlace = {
  /** The answer begins: others may have theirs made, while its client reads. */
  begun: Once
  /** Nothing of the answer is held any more. */
  release: Once
}

/** Answers that are being made. */
const MADE_MAX = { all: 16, one: 4 }
/** The same with those that clients have not read to their ends; each holds some megabytes. */
const HELD_MAX = { all: 128, one: 32 }

type Waiting = { share: string; resolve(place: LogPlace): void; reject(failure: Failure): void }

/** Bounds the calls that are answered in pieces, over all callers and for each. */
export function openLogPlaces(clock: Clock) {
  const waiting = openShareQueues<Waiting>(clock)
  const made = openCount(MADE_MAX)
  const held = openCount(HELD_MAX)

  const enter = ({ share, resolve }: Waiting): boolean => {
    if (!made.add(share)) return false
    const begun = once(() => {
      made.remove(share)
      waiting.drain(enter)
    })
    const release = once(() => {
      held.remove(share)
      begun()
    })
    resolve({ begun, release })
    return true
  }

  return {
    /** Resolves when there is a place; fails when none gets free, or too much is unread. */
    take: (share: string) =>
      new Promise<LogPlace>((resolve, reject) => {
        const fail = (failure: Failure) => {
          held.remove(share)
          reject(failure)
        }
        const one = { share, resolve, reject: fail }
        if (!held.add(share)) reject(new Failure('upstream_unreachable', { reason: 'unread' }))
        else if (!enter(one)) waiting.enqueue(share, one)
      }),
  }
}

function once(work: () => void): Once {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    work()
  }
}

function openCount(max: { all: number; one: number }) {
  const counts = new Map<string, number>()
  let all = 0
  return {
    /** False when there are enough already. */
    add(share: string): boolean {
      const own = counts.get(share) ?? 0
      if (all >= max.all || own >= max.one) return false
      all++
      counts.set(share, own + 1)
      return true
    },
    remove(share: string): void {
      const own = (counts.get(share) ?? 0) - 1
      all--
      if (own <= 0) counts.delete(share)
      else counts.set(share, own)
    },
  }
}
