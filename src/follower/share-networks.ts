export type SharedNetwork = {
  /** Its nodes tell this process of blocks. */
  canFollow: boolean
  /** Processes that are able to follow it; this one counts if it is. */
  followers: number
  isHeld: boolean
  /** How long this process has seen that nobody holds it; null while somebody does. */
  freeForMs: number | null
  /** It was offered to others, and none of them took it. */
  isDeclined: boolean
}

export type Shares<Network> = {
  renew: Network[]
  take: Network[]
  /** Beyond its share, since nobody else has taken them. */
  takeExtra: Network[]
  offer: Network[]
}

/** A process with room for a free network has taken it by then. */
const FREE_MS_MAX = 5_000

/**
 * Has each of the processes that are able to follow some networks follow about as many of them.
 * A network that none is able to follow yet is anybody's, until one is.
 */
export function shareNetworks<Network extends SharedNetwork>(
  networks: readonly Network[],
): Shares<Network> {
  const able = networks.filter(({ canFollow }) => canFollow)
  const held = able.filter(({ isHeld }) => isHeld)
  const room = fairShareOf(able) - held.length
  const others = held.filter(({ followers, isDeclined }) => followers > 1 && !isDeclined)
  const unable = networks.filter(({ canFollow, isHeld }) => isHeld && !canFollow)
  const offer = [
    ...others.slice(0, Math.max(0, -room)),
    ...unable.filter(({ followers }) => followers > 0),
  ]
  const isFree = ({ isHeld, freeForMs }: Network) => !isHeld && freeForMs !== null
  const free = able.filter(isFree)
  const left = free.splice(Math.max(0, room))
  const unclaimed = networks.filter((one) => one.followers === 0 && isFree(one))
  return {
    renew: [...held, ...unable].filter((one) => !offer.includes(one)),
    take: [...free, ...unclaimed],
    takeExtra: left.filter(({ freeForMs }) => (freeForMs ?? 0) >= FREE_MS_MAX),
    offer,
  }
}

/** Each of three that are able to follow a network has a third of it. */
function fairShareOf(networks: readonly SharedNetwork[]): number {
  const share = networks.reduce((sum, { followers }) => sum + 1 / Math.max(1, followers), 0)
  // Thirds do not add up to one exactly.
  return Math.ceil(share - 1e-9)
}
