import type { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import { openShareQueues } from '../pool/wait-queue.ts'

/** Bounds how many calls are answered in pieces at once, over all callers and for each. */
export type LogPlaces = {
  /** Resolves with what gives the place back, when there is one; fails when none gets free. */
  take(share: string): Promise<() => void>
}

/** Each holds some megabytes until its client has read them. */
const CALLS_MAX = 16
const CALLS_OF_ONE_MAX = 4

type Waiting = { share: string; resolve(release: () => void): void; reject(failure: Failure): void }

export function openLogPlaces(clock: Clock): LogPlaces {
  const waiting = openShareQueues<Waiting>(clock)
  const taken = new Map<string, number>()
  let all = 0

  const count = (share: string, change: 1 | -1) => {
    all += change
    const own = (taken.get(share) ?? 0) + change
    if (own === 0) taken.delete(share)
    else taken.set(share, own)
  }
  const enter = ({ share, resolve }: Waiting): boolean => {
    if (all >= CALLS_MAX || (taken.get(share) ?? 0) >= CALLS_OF_ONE_MAX) return false
    count(share, 1)
    let isReleased = false
    resolve(() => {
      if (isReleased) return
      isReleased = true
      count(share, -1)
      waiting.drain(enter)
    })
    return true
  }

  return {
    take: (share) =>
      new Promise((resolve, reject) => {
        const one = { share, resolve, reject }
        if (!enter(one)) waiting.enqueue(share, one)
      }),
  }
}
