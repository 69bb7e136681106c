import type { Chance } from '../support/basics/seeded-chance.ts'
import type { Owner } from './virtual-clock.ts'

/** The moments between which a process may die. */
export type Step = 'sent' | 'answered' | 'statement' | 'commit' | 'committed'

/** When a process dies by itself: after so many steps of any kind, or of one kind. */
export type Doom = { kind: Step | 'any'; steps: number }

/** One process from its start to its end. Dead, it reaches nothing any more. */
export type Life = Owner & {
  name: string
  alive: boolean
  /** Until then it stands still: no timer fires, and it hears of nothing. */
  wakesAtMs: number
  /** A moment has passed; it may have been the last one. */
  step(kind: Step): void
  end(why: string): void
}

const ANY_STEPS_MAX = 300
const COMMITS_MAX = 12

export function planDoom(chance: Chance): Doom {
  const kind = chance.pick(['any', 'any', 'commit', 'committed', 'answered'] as const)
  const isCommit = kind === 'commit' || kind === 'committed'
  return { kind, steps: chance.between(1, isCommit ? COMMITS_MAX : ANY_STEPS_MAX) }
}

export function beginLife(
  name: string,
  doom: () => Doom | null,
  ended: (why: string) => void,
): Life {
  let steps = 0
  const life: Life = {
    name,
    alive: true,
    wakesAtMs: 0,
    step(kind) {
      const planned = doom()
      if (!life.alive || planned === null) return
      if (planned.kind !== 'any' && planned.kind !== kind) return
      if (++steps === planned.steps) life.end(`crashes at ${kind}`)
    },
    end(why) {
      if (!life.alive) return
      life.alive = false
      ended(why)
    },
  }
  return life
}
