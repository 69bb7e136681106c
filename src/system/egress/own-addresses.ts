import { networkInterfaces } from 'node:os'
import { parseIpAddress } from '../../core/delivery/ip-address.ts'
import type { Clock } from '../../ports/clock.ts'

export type ReadAddresses = () => readonly string[]

/** Reading them asks the kernel, so it is not done at every delivery. */
const ADDRESSES_TTL_MS = 30_000

/**
 * The addresses of this machine. A service on all interfaces is often meant for this machine
 * alone, behind a firewall that a connection from inside never passes.
 */
export function openOwnAddresses(clock: Clock, read: ReadAddresses = interfaceAddresses) {
  let known = new Set<string>()
  let untilMs = Number.NEGATIVE_INFINITY

  const refresh = () => {
    known = new Set(read().map(bytesKey))
    untilMs = clock.monotonicMs() + ADDRESSES_TTL_MS
  }

  return {
    has(address: string): boolean {
      if (clock.monotonicMs() >= untilMs) refresh()
      return known.has(bytesKey(address))
    },
  }
}

function interfaceAddresses(): string[] {
  const listed = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return listed.map(({ address }) => address)
}

/** The key is the address's bytes, for IPv6 can be written in many ways; a zone is no part. */
function bytesKey(address: string): string {
  const [text = ''] = address.split('%')
  return parseIpAddress(text)?.toHex() ?? text
}
