import type { Clock } from '../../ports/clock.ts'
import { openLookupPlaces } from './lookup-places.ts'
import { askNameServers, type Resolve } from './name-servers.ts'

/** The addresses of names, each answer kept for a short while. */
export type NameLookup = {
  /** Null when the name has no address now. Only lookups of the same team wait for each other. */
  addressesOf(name: string, team: string): Promise<readonly string[] | null>
  /** This address took a connection: it is the first to be tried from now on. */
  prefer(name: string, address: string): void
  /** None of the addresses took a connection: the name may have moved. */
  doubt(name: string): void
}

type Needs = { clock: Clock; resolve?: Resolve }

type Answer = { addresses: readonly string[] | null; untilMs: number }

/** So long a name that moved is still looked for at its old place. */
const KEPT_MS = 30_000

/** A name without an address is asked for again soon, but not by each of a burst. */
const KEPT_EMPTY_MS = 3000

/** Part of the time of a whole delivery; the runtime itself would wait for much longer. */
const LOOKUP_MS_MAX = 3000

const NAMES_MAX = 10_000

/** No host needs more, and each one is vetted anew at every attempt. */
const ADDRESSES_MAX = 64

export function openNameLookup(needs: Needs): NameLookup {
  const { clock, resolve = askNameServers(needs) } = needs
  const places = openLookupPlaces({ clock })
  const answers = new Map<string, Answer>()
  const underWay = new Map<string, Promise<readonly string[] | null>>()

  const keep = (name: string, addresses: readonly string[] | null) => {
    const keptMs = addresses === null ? KEPT_EMPTY_MS : KEPT_MS
    // Deleted first, so that the order is the one of age and the oldest goes when it is full.
    answers.delete(name)
    if (answers.size >= NAMES_MAX) answers.delete(answers.keys().next().value ?? '')
    answers.set(name, { addresses, untilMs: clock.monotonicMs() + keptMs })
  }

  const ask = async (name: string, team: string) => {
    const addresses = await withinLimit(clock, resolve, name)
    underWay.delete(name)
    places.leave(team)
    keep(name, addresses)
    return addresses
  }

  const asking = (name: string, team: string) => {
    const asked = ask(name, team)
    underWay.set(name, asked)
    return asked
  }

  /** Undefined when nobody has asked for it lately. */
  const heard = (name: string) => {
    const known = answers.get(name)
    if (known && known.untilMs > clock.monotonicMs()) return known.addresses
    return underWay.get(name)
  }

  return {
    async addressesOf(name, team) {
      const known = heard(name)
      if (known !== undefined) return known
      if (places.take(team)) return asking(name, team)
      if (!(await places.wait(team))) return null
      // Somebody else may have asked for it meanwhile.
      const late = heard(name)
      if (late === undefined) return asking(name, team)
      places.leave(team)
      return late
    },
    prefer(name, address) {
      const known = answers.get(name)
      if (!known?.addresses?.includes(address) || known.addresses[0] === address) return
      known.addresses = [address, ...known.addresses.filter((other) => other !== address)]
    },
    doubt(name) {
      const known = answers.get(name)
      if (known) known.untilMs = Math.min(known.untilMs, clock.monotonicMs() + KEPT_EMPTY_MS)
    },
  }
}

/** Null when there is no answer in time, or none that can be used. */
function withinLimit(clock: Clock, resolve: Resolve, name: string) {
  return new Promise<readonly string[] | null>((settle) => {
    const cancel = clock.after(LOOKUP_MS_MAX, () => settle(null))
    Promise.try(resolve, name)
      .then((found) => {
        const usable = found.length > 0 && found.length <= ADDRESSES_MAX
        settle(usable ? [...new Set(found)] : null)
      })
      .catch(() => settle(null))
      .finally(cancel)
  })
}
