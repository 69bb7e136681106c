import type { WireInbox } from '../contract/contract.ts'
import {
  addArrival,
  arrivalsBefore,
  charsOf,
  type InboxBehaviour,
  type KeptArrival,
  type NewArrival,
} from './arrivals.ts'

/** `kept` are its arrivals, oldest first. */
type Inbox = { kept: KeptArrival[]; behaviour: InboxBehaviour; held: number }

export type Inboxes = ReturnType<typeof openInboxes>

const INBOXES_MAX = 50
const ARRIVALS_MAX = 500
const CHARS_MAX = 32 * 1_048_576

/** A status that has deliveries tried again, and a delay that is too long for them. */
export const ACCEPT: InboxBehaviour = { behaviour: 'accept', status: 500, delay_ms: 6000 }

/** The receivers of local development. In memory: a restart empties them. */
export function openInboxes(publicUrl: string) {
  // The one that was used longest ago comes first.
  const inboxes = new Map<string, Inbox>()
  let lastId = 0
  let chars = 0

  const dropOldest = (kept: KeptArrival[], count: number) => {
    for (const dropped of kept.splice(0, count)) chars -= charsOf(dropped)
  }
  const use = (name: string): Inbox => {
    const inbox = inboxes.get(name) ?? { kept: [], behaviour: ACCEPT, held: 0 }
    inboxes.delete(name)
    inboxes.set(name, inbox)
    const [oldest] = inboxes
    if (inboxes.size > INBOXES_MAX && oldest) {
      dropOldest(oldest[1].kept, ARRIVALS_MAX)
      inboxes.delete(oldest[0])
    }
    return inbox
  }
  const shown = (name: string, inbox: Inbox | undefined): WireInbox => ({
    name,
    url: `${publicUrl}/inbox/${name}`,
    arrivals: inbox?.kept.length ?? 0,
    ...(inbox?.behaviour ?? ACCEPT),
    held: inbox?.held ?? 0,
    time_last: inbox?.kept.at(-1)?.time ?? null,
  })
  const find = (name: string) => shown(name, inboxes.get(name))
  const makeRoom = () => {
    while (chars > CHARS_MAX) dropOldest(withOldest([...inboxes.values()]).kept, 1)
  }

  return {
    /** Sorted by name. */
    list: () => [...inboxes.keys()].sort().map(find),
    find,
    /** Newest first: those before that id, plus one over the limit if there are more. */
    arrivals: (name: string, limit: number, before: number | undefined) =>
      arrivalsBefore(inboxes.get(name)?.kept ?? [], before, limit),
    change(name: string, behaviour: InboxBehaviour) {
      use(name).behaviour = behaviour
      return find(name)
    },
    /** Deletes the arrivals; the behaviour stays. */
    empty(name: string) {
      dropOldest(inboxes.get(name)?.kept ?? [], ARRIVALS_MAX)
      return find(name)
    },
    behaviourOf: (name: string) => inboxes.get(name)?.behaviour ?? ACCEPT,
    add(name: string, arrival: Omit<NewArrival, 'id'>) {
      const { kept } = use(name)
      lastId += 1
      const added = addArrival(kept, { id: lastId, ...arrival })
      chars += charsOf(added)
      dropOldest(kept, kept.length - ARRIVALS_MAX)
      makeRoom()
      return added
    },
    /** A sender waits for its answer until the returned function is called. */
    held(name: string) {
      const inbox = use(name)
      inbox.held += 1
      return () => {
        inbox.held -= 1
      }
    },
  }
}

/** The inbox that has the oldest arrival of all. */
function withOldest(inboxes: readonly Inbox[]): Inbox {
  const idOf = ({ kept }: Inbox) => kept[0]?.id ?? Number.POSITIVE_INFINITY
  return inboxes.reduce((one, other) => (idOf(other) < idOf(one) ? other : one))
}
