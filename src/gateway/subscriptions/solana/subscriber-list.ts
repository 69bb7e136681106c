import type { OpenSubscription, Subscriber } from '../../../core/rpc/subscription-source.ts'
import type { Clock } from '../../../ports/clock.ts'

type Member = {
  subscriber: Subscriber
  /** Calls that wait until its subscribing has returned; null from then on. */
  held: ((subscriber: Subscriber) => void)[] | null
  isClosed: boolean
}

/** All who hear one subscription, told together. */
export type SubscriberList = Subscriber & {
  readonly size: number
  add(subscriber: Subscriber): OpenSubscription
}

/** `emptied` is called when the last one has left by itself. */
export function openSubscriberList(clock: Clock, emptied: () => void): SubscriberList {
  const members = new Set<Member>()

  const tell = (member: Member, call: (subscriber: Subscriber) => void) => {
    if (member.held === null) call(member.subscriber)
    else member.held.push(call)
  }
  const tellAll = (call: (subscriber: Subscriber) => void, isLast: boolean) => {
    const told = [...members]
    if (isLast) members.clear()
    for (const member of told) if (!member.isClosed) tell(member, call)
  }

  return {
    get size() {
      return members.size
    },
    add(subscriber) {
      const member: Member = { subscriber, held: [], isClosed: false }
      members.add(member)
      clock.after(0, () => {
        const held = member.held ?? []
        member.held = null
        for (const call of held) if (!member.isClosed) call(subscriber)
      })
      return {
        close() {
          if (member.isClosed) return
          member.isClosed = true
          if (members.delete(member) && members.size === 0) emptied()
        },
      }
    },
    notify: (resultText) => tellAll((one) => one.notify(resultText), false),
    done: () => tellAll((one) => one.done(), true),
    lost: (reason) => tellAll((one) => one.lost(reason), true),
  }
}
