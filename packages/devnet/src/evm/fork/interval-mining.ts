import type { Clock } from '../../clock.ts'
import type { Entropy } from '../../entropy.ts'

type Needs = {
  clock: Pick<Clock, 'after'>
  entropy: Pick<Entropy, 'fraction'>
  /** Never rejects. */
  mine(): Promise<void>
}

/** Milliseconds between two blocks, from and to; 0 for none by time. */
export type MiningInterval = { minMs: number; maxMs: number }

/** Mines by time, which the chain's own timer would do without a way back for each block. */
export function openIntervalMining(needs: Needs, first: MiningInterval) {
  let interval = first
  let held = false
  let cancel = () => {}

  const schedule = () => {
    cancel()
    const { minMs, maxMs } = interval
    if (held || maxMs === 0) return
    const waitMs = minMs + Math.round(needs.entropy.fraction() * (maxMs - minMs))
    let isCancelled = false
    const stop = needs.clock.after(waitMs, async () => {
      await needs.mine()
      if (!isCancelled) schedule()
    })
    cancel = () => {
      isCancelled = true
      stop()
    }
  }
  schedule()

  return {
    interval: () => interval,
    isHeld: () => held,
    set(next: MiningInterval) {
      // The same interval once more must not put off the next block either.
      if (next.minMs === interval.minMs && next.maxMs === interval.maxMs) return
      interval = next
      schedule()
    },
    hold(isHeld: boolean) {
      // Holding what is held must not put off the next block.
      if (isHeld === held) return
      held = isHeld
      schedule()
    },
  }
}
