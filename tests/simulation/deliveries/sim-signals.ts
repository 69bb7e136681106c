import type { Signals } from '../../../src/ports/signals.ts'
import type { Chance } from '../../support/basics/seeded-chance.ts'
import type { Life } from '../process-life.ts'
import type { VirtualClock } from '../virtual-clock.ts'

type Needs = {
  clock: VirtualClock
  chance: Chance
  /** How hints fare just now. */
  fate(): { lostRate: number; doubledRate: number; lateMsMax: number }
}

type Listener = { life: Life; topic: string; hear: (text: string) => void }

/** Hints between processes: some are lost, some come twice, some late. */
export type SimSignals = {
  of(life: Life): Signals
  /** Whatever fate wills: not at all, once or twice, now or later. */
  hint(life: Life, hear: () => void): void
}

export function openSimSignals({ clock, chance, fate }: Needs): SimSignals {
  const listeners = new Set<Listener>()

  const hint = (life: Life, hear: () => void) => {
    const { lostRate, doubledRate, lateMsMax } = fate()
    if (chance.fraction() < lostRate) return
    const times = chance.fraction() < doubledRate ? 2 : 1
    for (let time = 0; time < times; time++) clock.after(chance.between(0, lateMsMax), hear, life)
  }

  return {
    hint,
    of: (life) => ({
      async publish(topic, text) {
        if (!life.alive) return
        for (const listener of listeners) {
          if (listener.topic === topic) hint(listener.life, () => listener.hear(text))
        }
      },
      subscribe(topic, hear) {
        const listener = { life, topic, hear }
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      async close() {},
    }),
  }
}
