import { isIP } from 'node:net'
import { isForbiddenAddress } from '../../core/delivery/check-destination.ts'
import type { Clock } from '../../ports/clock.ts'
import { openNameLookup } from './name-lookup.ts'
import type { Resolve } from './name-servers.ts'
import { openOwnAddresses, type ReadAddresses } from './own-addresses.ts'

export type AddressOptions = {
  clock: Clock
  /** Turns the address rules off, for a developer's own machine. */
  allowPrivate: boolean
  /** All addresses of a name; the default asks the system's name servers. */
  resolve?: Resolve
  /** This machine's own addresses; the default reads its interfaces. */
  readOwn?: ReadAddresses
}

export type VettedAddresses = ReturnType<typeof openVettedAddresses>

export function openVettedAddresses(options: AddressOptions) {
  const { clock, allowPrivate } = options
  const names = openNameLookup(clock, options.resolve)
  const own = openOwnAddresses(clock, options.readOwn)
  const isForbidden = (address: string) => isForbiddenAddress(address) || own.has(address)
  return {
    prefer: names.prefer,
    expireSoon: names.expireSoon,
    /** The addresses of a host without brackets, each vetted, whether they were known or not. */
    async of(host: string, teamId: string): Promise<readonly string[] | 'dns' | 'refused_address'> {
      const addresses = isIP(host) ? [host] : await names.addressesOf(host, teamId)
      if (addresses === null) return 'dns'
      if (allowPrivate) return addresses
      // One forbidden address among good ones is the mark of rebinding, so none is used.
      return addresses.some(isForbidden) ? 'refused_address' : addresses
    },
  }
}
