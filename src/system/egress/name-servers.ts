import { Resolver, setServers } from 'node:dns'
import type { Clock } from '../../ports/clock.ts'

/** All addresses of a name; rejects, or has none, when there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** A machine that changes its network gets other name servers, which are to be found soon. */
const SERVERS_TTL_MS = 30_000

/**
 * Asks name servers over sockets of this thread. The system's resolver would hold one of the few
 * threads that also read and write files. The hosts file and search domains count as they do there.
 */
export function askNameServers(
  clock: Clock,
  readServers: () => readonly string[] = systemServers,
): Resolve {
  let servers = readServers()
  let checkedMs = clock.monotonicMs()

  // The runtime reads the configuration of the system once and never again.
  const followSystem = () => {
    if (clock.monotonicMs() - checkedMs < SERVERS_TTL_MS) return
    checkedMs = clock.monotonicMs()
    const current = readServers()
    // Without any the machine has no network now, and those of before are as good as none.
    if (current.length === 0 || current.join() === servers.join()) return
    servers = current
    setServers(current)
  }

  return async (name) => {
    followSystem()
    const found = await Bun.dns.lookup(name, { backend: 'c-ares' })
    return found.map(({ address }) => address)
  }
}

function systemServers(): string[] {
  return new Resolver().getServers()
}
