import { within } from '../../core/async/within.ts'
import type { Clock } from '../../ports/clock.ts'

/** Asks several workers the same, each by an id, and waits until all of them have answered. */
export type Gather<Member> = {
  /**
   * Resolves when all have answered, or when the time is over. One that let it pass is asked again
   * and not waited for until it has answered: one that hangs costs the others this time once.
   */
  ask(members: Iterable<Member>, ask: (member: Member, id: number) => void): Promise<void>
  answered(member: Member, id: number): void
  /** A worker that is gone is not waited for. */
  leave(member: Member): void
}

type Asked<Member> = { waitsFor: Set<Member>; done(): void }

export function openGather<Member>(clock: Clock, msMax: number): Gather<Member> {
  const asked = new Map<number, Asked<Member>>()
  const late = new Set<Member>()
  let lastId = 0

  const noted = ({ waitsFor, done }: Asked<Member>, member: Member) => {
    waitsFor.delete(member)
    if (waitsFor.size === 0) done()
  }

  return {
    async ask(members, ask) {
      const all = [...members]
      const waitsFor = new Set(all.filter((member) => !late.has(member)))
      const answers = Promise.withResolvers<void>()
      const id = ++lastId
      asked.set(id, { waitsFor, done: answers.resolve })
      for (const member of all) ask(member, id)
      const noteLate = () => {
        for (const member of waitsFor) late.add(member)
      }
      if (waitsFor.size > 0) await within(clock, msMax, answers.promise, noteLate)
      asked.delete(id)
    },
    answered(member, id) {
      late.delete(member)
      const one = asked.get(id)
      if (one) noted(one, member)
    },
    leave(member) {
      late.delete(member)
      for (const one of [...asked.values()]) noted(one, member)
    },
  }
}
