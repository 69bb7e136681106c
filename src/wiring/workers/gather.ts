import { within } from '../../core/async/within.ts'
import type { Clock } from '../../ports/clock.ts'

/** Asks several workers the same, each by an id, and waits until all of them have answered. */
export type Gather<Member> = {
  /** Resolves when all have answered, or when the time is over. */
  ask(members: Iterable<Member>, ask: (member: Member, id: number) => void): Promise<void>
  answered(member: Member, id: number): void
  /** A worker that is gone is not waited for. */
  leave(member: Member): void
}

type Asked<Member> = { waitsFor: Set<Member>; done(): void }

export function openGather<Member>(clock: Clock, msMax: number): Gather<Member> {
  const asked = new Map<number, Asked<Member>>()
  let lastId = 0

  const noted = ({ waitsFor, done }: Asked<Member>, member: Member) => {
    waitsFor.delete(member)
    if (waitsFor.size === 0) done()
  }

  return {
    async ask(members, ask) {
      const waitsFor = new Set(members)
      if (waitsFor.size === 0) return
      const all = Promise.withResolvers<void>()
      const id = ++lastId
      asked.set(id, { waitsFor, done: all.resolve })
      for (const member of [...waitsFor]) ask(member, id)
      await within(clock, msMax, all.promise, () => {})
      asked.delete(id)
    },
    answered(member, id) {
      const one = asked.get(id)
      if (one) noted(one, member)
    },
    leave(member) {
      for (const one of [...asked.values()]) noted(one, member)
    },
  }
}
