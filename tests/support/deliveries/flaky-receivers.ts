import { verifyDelivery } from '../../../src/receiver/verify-delivery.ts'
import type { Chance } from '../basics/seeded-chance.ts'

/** What receivers know of one (webhook, sequenceNumber). */
export type Arrived = {
  id: string
  body: string
  /** The sequence number of the delivery before it, as the header says. */
  previous: string | null
  accepted: number
  refused: number
}

/** Receivers that fail now and then, each on a port of its own. */
export type FlakyReceivers = {
  urls: readonly string[]
  /** Signing keys by webhook; without its key a delivery counts as a fault. */
  keys: Map<string, string>
  /** By `webhookId sequenceNumber`. */
  arrived: Map<string, Arrived>
  /** What was accepted at least once; the keys in the order of that. */
  accepted: Set<string>
  attempts: number
  failures: number
  /** Everything that must never happen. */
  faults: string[]
  stop(): Promise<void>
}

export type FlakyOptions = {
  hosts: number
  chance: Chance
  /** The share of attempts that fails. */
  failing: number
  /** Of those, the share that the breaker counts: a 500, or an answer that comes too late. */
  bad: number
  /** An answer is late after that. */
  timeoutMs: number
  /** The status of a late answer, once the sender has given up. */
  lateStatus: 200 | 503
}

const REFUSALS = [400, 404, 409, 422]

export function startFlakyReceivers(options: FlakyOptions): FlakyReceivers {
  const receivers: FlakyReceivers = {
    urls: [],
    keys: new Map(),
    arrived: new Map(),
    accepted: new Set(),
    attempts: 0,
    failures: 0,
    faults: [],
    async stop() {
      await Promise.all(servers.map((server) => server.stop(true)))
    },
  }
  const servers = Array.from({ length: options.hosts }, () =>
    Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => receive(receivers, options, request),
    }),
  )
  receivers.urls = servers.map(({ port }) => `http://127.0.0.1:${port}/hook`)
  return receivers
}

async function receive(
  receivers: FlakyReceivers,
  { chance, failing, bad, timeoutMs, lateStatus }: FlakyOptions,
  request: Request,
): Promise<Response> {
  const body = await request.text().catch(() => null)
  // Its sender was killed before all of it was sent.
  if (body === null) return new Response('', { status: 400 })
  receivers.attempts++
  const arrived = await note(receivers, request.headers, body)
  if (chance.fraction() < failing) {
    receivers.failures++
    if (arrived) arrived.one.refused++
    if (chance.fraction() >= bad) return new Response('', { status: chance.pick(REFUSALS) })
    if (chance.fraction() < 0.8) return new Response('', { status: 500 })
    await Bun.sleep(timeoutMs * 2)
    return new Response('too late', { status: lateStatus })
  }
  if (arrived) {
    arrived.one.accepted++
    receivers.accepted.add(arrived.key)
  }
  return new Response('noted')
}

async function note(receivers: FlakyReceivers, headers: Headers, body: string) {
  const { arrived, faults, keys } = receivers
  const { webhookId, id, event } = JSON.parse(body)
  const verified = await verifyDelivery({ body, headers, signingKeys: keys.get(webhookId) ?? '' })
  if (!verified.ok) return void faults.push(`${id}: ${verified.message}`)

  const key = `${webhookId} ${event.sequenceNumber}`
  const previous = headers.get('x-headgate-previous')
  const known = arrived.get(key)
  const one = known ?? { id, body, previous, accepted: 0, refused: 0 }
  arrived.set(key, one)
  if (one.id !== id) faults.push(`${key} came as ${one.id} and as ${id}`)
  if (one.body !== body) faults.push(`${key} came with other bytes: ${one.body} and ${body}`)
  if (one.previous !== previous) faults.push(`${key} came after ${one.previous} and ${previous}`)
  return { key, one }
}
