import { lookup } from 'node:dns/promises'
import type { Clock } from '../ports/clock.ts'

/** All addresses of a name; rejects, or has none, when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** The addresses of names, each answer kept for a short while. */
export type NameLookup = {
  /** Null when the name has no address now. */
  addressesOf(name: string): Promise<readonly string[] | null>
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

/** Each holds a query open. More at once are no deliveries but an attack on name servers. */
const LOOKUPS_MAX = 1000

/** No host needs more, and each one is vetted anew at every attempt. */
const ADDRESSES_MAX = 64

export function openNameLookup({ clock, resolve = systemAddresses }: Needs): NameLookup {
  const answers = new Map<string, Answer>()
  const underWay = new Map<string, Promise<readonly string[] | null>>()

  const keep = (name: string, addresses: readonly string[] | null) => {
    const keptMs = addresses === null ? KEPT_EMPTY_MS : KEPT_MS
    // Deleted first, so that the order is the one of age and the oldest goes when it is full.
    answers.delete(name)
    if (answers.size >= NAMES_MAX) answers.delete(answers.keys().next().value ?? '')
    answers.set(name, { addresses, untilMs: clock.monotonicMs() + keptMs })
  }

  const ask = async (name: string) => {
    const addresses = await withinLimit(clock, resolve, name)
    underWay.delete(name)
    keep(name, addresses)
    return addresses
  }

  return {
    async addressesOf(name) {
      const known = answers.get(name)
      if (known && known.untilMs > clock.monotonicMs()) return known.addresses
      const asked = underWay.get(name)
      if (asked) return asked
      if (underWay.size >= LOOKUPS_MAX) return null
      const asking = ask(name)
      underWay.set(name, asking)
      return asking
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

/** What the system says, its hosts file included, of both families and in its order. */
async function systemAddresses(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true })
  return found.map(({ address }) => address)
}
