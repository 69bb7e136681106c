import { isIP } from 'node:net'
import { checkDestination, NO_USABLE_ADDRESS } from '../../core/delivery/egress-policy.ts'
import { parseAddress } from '../../core/delivery/ip-address.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Egress, EgressFault, EgressOutcome, EgressRequest } from '../../ports/egress.ts'
import { type Deadline, openDeadline } from './deadline.ts'
import { type Answer, converse, type Lost, type Message } from './egress-exchange.ts'
import { messageOf } from './egress-message.ts'
import { type IdleWires, openIdleWires } from './idle-wires.ts'
import {
  type AddressOptions,
  openVettedAddresses,
  type VettedAddresses,
} from './vetted-addresses.ts'
import { type Connect, openConnector, type Wire } from './wire.ts'

type EgressOptions = AddressOptions & { connect?: Connect }

type Needs = {
  clock: Clock
  allowPrivate: boolean
  addresses: VettedAddresses
  idle: IdleWires
  connect: Connect
}

/** One request on its way, and what is known of it so far. */
type Errand = {
  url: URL
  teamId: string
  /** The host without brackets. */
  host: string
  message: Message
  deadline: Deadline
  address: string | null
  times: { startMs: number; lookedUpMs: number; connectedMs: number }
}

type Line = { wire: Wire; address: string }

/** Of many addresses so many are tried, for each takes its part of the time. */
const ADDRESSES_TRIED_MAX = 3

/**
 * POST over sockets of this thread, to addresses that were vetted at this very attempt. The
 * runtime's own client is no choice here: it keeps 64 idle connections at most, resolves
 * names by itself, and would follow where the environment or an answer sends it.
 */
export function openEgress(options: EgressOptions): Egress {
  const { clock, allowPrivate, connect = openConnector() } = options
  const addresses = openVettedAddresses(options)
  const idle = openIdleWires({ clock })
  const needs: Needs = { clock, allowPrivate, addresses, idle, connect }
  return {
    vet: (url, teamId) => vet(needs, url, teamId),
    post: (request) => post(needs, request),
    close: () => idle.close(),
  }
}

async function vet(needs: Needs, url: string, teamId: string): Promise<string | null> {
  const destination = checkDestination(url, needs.allowPrivate)
  if (typeof destination === 'string') return destination
  if (needs.allowPrivate) return null

  const addresses = await needs.addresses.of(hostOf(destination), teamId)
  return typeof addresses === 'string' ? NO_USABLE_ADDRESS : null
}

async function post(needs: Needs, request: EgressRequest): Promise<EgressOutcome> {
  const { clock, allowPrivate } = needs
  const startMs = clock.monotonicMs()
  const times = { startMs, lookedUpMs: startMs, connectedMs: startMs }
  const url = checkDestination(request.url, allowPrivate)
  if (typeof url === 'string') return outcome(needs, { times, address: null }, 'refused_address')

  const deadline = openDeadline(clock, request.timeoutMs)
  const message = messageOf(url, request)
  const { teamId } = request
  const host = hostOf(url)
  const errand: Errand = { url, teamId, host, message, deadline, address: null, times }
  const result = await deliver(needs, errand)
  deadline.end()
  return outcome(needs, errand, result)
}

async function deliver(needs: Needs, errand: Errand): Promise<Answer | EgressFault> {
  const { clock } = needs
  const addresses = await lookUp(needs, errand)
  errand.times.lookedUpMs = clock.monotonicMs()
  errand.times.connectedMs = clock.monotonicMs()
  if (typeof addresses === 'string') return addresses

  const warm = warmLine(needs, errand, addresses)
  if (warm) {
    const result = await speak(needs, errand, warm)
    // It was dead before; what was said to it is said once more to a new one.
    if (result !== 'unanswered') return result
  }

  const line = await connectTo(needs, errand, addresses)
  errand.times.connectedMs = clock.monotonicMs()
  if (typeof line === 'string') return line

  const result = await speak(needs, errand, line)
  return result === 'unanswered' ? 'reset' : result
}

/** The addresses to connect to, each of them vetted, whether they were known or not. */
async function lookUp(needs: Needs, errand: Errand): Promise<readonly string[] | EgressFault> {
  return errand.deadline.step<readonly string[] | EgressFault>((done) => {
    needs.addresses.of(errand.host, errand.teamId).then(done, () => done('dns'))
    return () => {}
  })
}

function warmLine({ idle }: Needs, { url }: Errand, addresses: readonly string[]): Line | null {
  for (const address of addresses) {
    const wire = idle.take(placeOf(url, address))
    if (wire) return { wire, address }
  }
  return null
}

/** A connection to the first address that takes one. */
async function connectTo(
  needs: Needs,
  errand: Errand,
  addresses: readonly string[],
): Promise<Line | EgressFault> {
  const { host, deadline } = errand
  const tried = addresses.slice(0, ADDRESSES_TRIED_MAX)
  for (const [at, address] of tried.entries()) {
    const others = tried.length - at - 1
    // The last may take all that is left, and what it lacks then is time.
    const limitMs = others > 0 ? deadline.leftMs() / (others + 1) : null
    const wire = await connectOnce(needs, errand, address, limitMs)
    if (wire === 'connect') continue
    if (typeof wire === 'string') return wire
    errand.address = address
    if (!isSame(wire.remoteAddress, address)) {
      wire.terminate()
      return 'refused_address'
    }
    needs.addresses.prefer(host, address)
    return { wire, address }
  }
  needs.addresses.doubt(host)
  return 'connect'
}

function connectOnce(
  { clock, connect }: Needs,
  { url, host, deadline }: Errand,
  address: string,
  limitMs: number | null,
): Promise<Wire | EgressFault> {
  const tls = url.protocol === 'https:'
  const port = Number(url.port || (tls ? 443 : 80))
  const serverName = tls && !isIP(host) ? host : null
  return deadline.step<Wire | EgressFault>((done) => {
    const giveUpLate = () => {
      giveUp()
      done('connect')
    }
    const cancelLimit = limitMs === null ? () => {} : clock.after(limitMs, giveUpLate)
    const finish = (result: Wire | EgressFault) => {
      cancelLimit()
      done(result)
    }
    const hearer = { opened: finish, failed: finish }
    const giveUp = connect({ address, port, tls, serverName }, hearer)
    return () => {
      cancelLimit()
      giveUp()
    }
  })
}

async function speak(
  { idle }: Needs,
  errand: Errand,
  { wire, address }: Line,
): Promise<Answer | Lost | 'timeout'> {
  errand.address = address
  const result = await errand.deadline.step<Answer | Lost>((done) =>
    converse(wire, errand.message, done),
  )
  if (typeof result !== 'string' && result.idleMs > 0) {
    idle.keep(placeOf(errand.url, address), wire, result.idleMs)
  }
  return result
}

function outcome(
  { clock }: Needs,
  { times, address }: Pick<Errand, 'times' | 'address'>,
  result: Answer | EgressFault,
): EgressOutcome {
  const endMs = clock.monotonicMs()
  const { startMs, lookedUpMs, connectedMs } = times
  const ms = {
    lookup: Math.round(lookedUpMs - startMs),
    connect: Math.round(connectedMs - lookedUpMs),
    answer: Math.round(endMs - connectedMs),
    total: Math.round(endMs - startMs),
  }
  if (typeof result === 'string') {
    return { status: null, fault: result, retryAfter: null, bodyStart: '', address, ms }
  }
  const { status, retryAfter, bodyStart } = result
  return { status, fault: null, retryAfter, bodyStart, address, ms }
}

/** Connections are kept for a host at an address: when a name moves, none of them is used. */
function placeOf(url: URL, address: string): string {
  return `${url.protocol}//${url.host} ${address}`
}

function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** Compared by their bytes, for an IPv6 address can be written in many ways. */
function isSame(remote: string | null, address: string): boolean {
  if (remote === null || remote === address) return true
  const [one, other] = [parseAddress(remote), parseAddress(address)]
  return one !== null && other !== null && Buffer.compare(one, other) === 0
}
