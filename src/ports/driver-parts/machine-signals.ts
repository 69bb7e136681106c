import { assert } from '../../core/errors.ts'
import type { Deliver, MachineSignals, Reach } from '../signals.ts'

/** Each part of the program listens once, so more than this is a leak. */
const LISTENERS_MAX = 10_000

type Listener = { receive: (text: string) => void }

/** Takes a text to processes that are no members here; resolves as `publish` does. */
type Carry = (topic: string, text: string, reach: Reach) => Promise<void>

export type OpenMachineSignals = MachineSignals & {
  /** A text from elsewhere, for the listeners and members here. */
  deliver: Deliver
}

const DONE = Promise.resolve()

/** Signals between the parts of this process and the processes that have joined it. */
export function openMachineSignals(carry: Carry = () => DONE): OpenMachineSignals {
  const listeners = new Map<string, Set<Listener>>()
  const members = new Set<Deliver>()
  let isClosed = false

  const notify = (topic: string, text: string) => {
    for (const listener of listeners.get(topic) ?? []) {
      // Later, as over a wire: the publisher neither waits for listeners nor suffers from them.
      queueMicrotask(() => {
        if (listeners.get(topic)?.has(listener)) hint(listener, text)
      })
    }
  }
  const deliver = async (topic: string, text: string, from?: Deliver) => {
    notify(topic, text)
    const others = [...members].filter((member) => member !== from)
    await Promise.all(others.map((member) => member(topic, text)))
  }
  const publish = async (topic: string, text: string, reach: Reach, from?: Deliver) => {
    if (isClosed) return
    await Promise.all([deliver(topic, text, from), carry(topic, text, reach)])
  }

  return {
    publish: (topic, text, reach = 'everywhere') => publish(topic, text, reach),
    deliver,
    subscribe(topic, receive) {
      const ours = listeners.get(topic) ?? new Set()
      assert(ours.size < LISTENERS_MAX, 'listeners end their subscriptions')
      const listener = { receive }
      listeners.set(topic, ours.add(listener))
      return () => {
        ours.delete(listener)
        if (ours.size === 0 && listeners.get(topic) === ours) listeners.delete(topic)
      }
    },
    join(member) {
      members.add(member)
      return {
        publish: (topic, text, reach) => publish(topic, text, reach, member),
        leave: () => void members.delete(member),
      }
    },
    async close() {
      isClosed = true
      listeners.clear()
      members.clear()
    },
  }
}

function hint(listener: Listener, text: string): void {
  try {
    listener.receive(text)
  } catch {
    // A hint is best effort. A listener that missed it finds the change at its next look.
  }
}
