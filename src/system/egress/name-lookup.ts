import { within } from '../../core/async/within.ts'
import type { Clock } from '../../ports/clock.ts'
import { openLookupSlots } from './lookup-slots.ts'
import { askNameServers, type Resolve } from './name-servers.ts'

type Answer = { addresses: readonly string[] | null; untilMs: number }

/** How long a name that moved is still connected to at its old address. */
const TTL_MS = 30_000

/** A name without an address is looked up again soon, but not by each of a burst. */
const NEGATIVE_TTL_MS = 3000

/** A lookup takes part of a delivery's time; the runtime itself would wait for much longer. */
const LOOKUP_MS_MAX = 3000

const NAMES_MAX = 10_000

/** No host needs more addresses, and each one is vetted anew at every attempt. */
const ADDRESSES_MAX = 64

export function openNameLookup(clock: Clock, resolve = askNameServers(clock)) {
  const slots = openLookupSlots(clock)
  const answers = new Map<string, Answer>()
  const inFlight = new Map<string, Promise<readonly string[] | null>>()

  const store = (name: string, addresses: readonly string[] | null) => {
    const ttlMs = addresses === null ? NEGATIVE_TTL_MS : TTL_MS
    // The entry is deleted first, so that the order is by age and the oldest goes when it is full.
    answers.delete(name)
    if (answers.size >= NAMES_MAX) answers.delete(answers.keys().next().value ?? '')
    answers.set(name, { addresses, untilMs: clock.monotonicMs() + ttlMs })
  }

  const ask = async (name: string, team: string) => {
    const addresses = await withinLimit(clock, resolve, name)
    inFlight.delete(name)
    slots.release(team)
    store(name, addresses)
    return addresses
  }

  const startLookup = (name: string, team: string) => {
    const asked = ask(name, team)
    inFlight.set(name, asked)
    return asked
  }

  /** Undefined when the name was not looked up lately. */
  const cached = (name: string) => {
    const known = answers.get(name)
    if (known && known.untilMs > clock.monotonicMs()) return known.addresses
    return inFlight.get(name)
  }

  return {
    /** Null when the name has no address now. Only lookups of the same team wait for each other. */
    async addressesOf(name: string, team: string): Promise<readonly string[] | null> {
      const found = cached(name)
      if (found !== undefined) return found
      if (slots.tryAcquire(team)) return startLookup(name, team)
      if (!(await slots.acquire(team))) return null
      // Another delivery may have looked it up meanwhile.
      const late = cached(name)
      if (late === undefined) return startLookup(name, team)
      slots.release(team)
      return late
    },
    /** Tries this address first from now on, for it took a connection. */
    prefer(name: string, address: string) {
      const known = answers.get(name)
      if (!known?.addresses?.includes(address) || known.addresses[0] === address) return
      known.addresses = [address, ...known.addresses.filter((other) => other !== address)]
    },
    /** Looks the name up again soon, for none of its addresses took a connection. */
    expireSoon(name: string) {
      const known = answers.get(name)
      if (known) known.untilMs = Math.min(known.untilMs, clock.monotonicMs() + NEGATIVE_TTL_MS)
    },
  }
}

/** Null when there is no answer in time, or none that can be used. */
function withinLimit(clock: Clock, resolve: Resolve, name: string) {
  const answered = Promise.try(resolve, name).then((found) => {
    const usable = found.length > 0 && found.length <= ADDRESSES_MAX
    return usable ? [...new Set(found)] : null
  })
  const none = () => null
  return within(clock, LOOKUP_MS_MAX, answered.catch(none), none)
}
