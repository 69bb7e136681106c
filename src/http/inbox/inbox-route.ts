import { Failure, Rejection } from '../../core/errors.ts'
import type { World } from '../../ports/world.ts'
import { failureReply, refusalReply } from '../api/calls/api-reply.ts'
import type { ByteBodies } from '../edge/request-bodies.ts'
import type { InboxBehaviour, KeptArrival, NewArrival } from './arrivals.ts'
import { type CheckedArrival, checkArrival } from './check-arrival.ts'
import type { Inboxes } from './inboxes.ts'

type LateAnswer = { ms: number; status: number }

const NAME = /^[a-z0-9-]{1,64}$/

/** Senders that are kept waiting at once, by all inboxes together. */
const HELD_MAX = 100

/** Below the time after which the server ends a connection by itself. */
const HANG_MS_MAX = 100_000

const HEADERS_MAX = 64
const HEADER_CHARS_MAX = 1024
const BODY_BYTES_KEPT = 64 * 1024

export function openInboxRoute(world: World, bodies: ByteBodies, inboxes: Inboxes) {
  const { clock } = world
  const waiting = new Set<() => void>()

  /** Resolves after that time, or with false when the sender gives up or we close. */
  const wait = (name: string, ms: number, signal: AbortSignal): Promise<boolean> => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const giveUp = () => resolve(false)
    const released = inboxes.held(name)
    const cancel = clock.after(ms, () => resolve(true))
    waiting.add(giveUp)
    signal.addEventListener('abort', giveUp)
    if (signal.aborted) giveUp()
    return promise.finally(() => {
      cancel()
      waiting.delete(giveUp)
      signal.removeEventListener('abort', giveUp)
      released()
    })
  }

  const answerLater = async (
    request: Request,
    name: string,
    arrival: KeptArrival,
    { ms, status }: LateAnswer,
  ) => {
    const isFull = waiting.size >= HELD_MAX
    if (!isFull && !(await wait(name, ms, request.signal))) return plain(503)
    const told = isFull ? 503 : status
    arrival.status_answered = told
    return plain(told)
  }

  return {
    async route(request: Request, name: string): Promise<Response> {
      if (!NAME.test(name)) return refusalReply(new Rejection('not_found', NO_NAME))
      if (request.method !== 'POST') {
        const rejection = new Rejection('method_not_allowed', 'An inbox takes POST.')
        return refusalReply(rejection, { allow: 'POST' })
      }
      const body = await bodies.bytes(request)
      if (body instanceof Rejection) return refusalReply(body)

      const { headers } = request
      const checked = await checkArrival(world, { body, headers }).catch(answerFailure)
      if (checked instanceof Response) return checked

      const answer = answerOf(inboxes.behaviourOf(name))
      const status_answered = typeof answer === 'number' ? answer : null
      const facts = arrivalOf(clock.nowMs(), body, headers, checked)
      const arrival = inboxes.add(name, { ...facts, status_answered })
      return typeof answer === 'number'
        ? plain(answer)
        : answerLater(request, name, arrival, answer)
    },

    /** Answers all who are kept waiting. */
    close() {
      for (const giveUp of waiting) giveUp()
    },
  }
}

const NO_NAME = 'The name of an inbox is 1 to 64 lower-case letters, digits and hyphens.'

/** The world let us down, such as the store: the sender may try again. */
function answerFailure(thrown: unknown): Response {
  if (thrown instanceof Failure) return failureReply(thrown)
  throw thrown
}

function answerOf({ behaviour, status, delay_ms }: InboxBehaviour): number | LateAnswer {
  switch (behaviour) {
    case 'accept':
      return 200
    case 'fail':
      return status
    case 'gone':
      return 410
    case 'slow':
      return { ms: delay_ms, status: 200 }
    case 'hang':
      return { ms: HANG_MS_MAX, status: 504 }
  }
}

function arrivalOf(
  time: number,
  body: Uint8Array,
  headers: Headers,
  { delivery, blockNumber, signature, signature_fault }: CheckedArrival,
): Omit<NewArrival, 'id' | 'status_answered'> {
  const result = delivery?.kind === 'data' ? delivery : null
  return {
    time,
    delivery_id: delivery?.id ?? null,
    webhook_id: delivery?.webhookId ?? null,
    network: result?.network ?? null,
    kind: delivery?.kind ?? null,
    sequence_number: result?.sequenceNumber ?? null,
    previous_sequence_number: result?.previousSequence ?? null,
    block_number: blockNumber,
    signature,
    signature_fault,
    is_replay: delivery?.isReplay ?? false,
    bytes: body.byteLength,
    headers: keptHeaders(headers),
    body: new TextDecoder().decode(body.subarray(0, BODY_BYTES_KEPT)),
    is_body_cut: body.byteLength > BODY_BYTES_KEPT,
  }
}

function keptHeaders(headers: Headers): Record<string, string> {
  const kept = [...headers].slice(0, HEADERS_MAX)
  return Object.fromEntries(
    kept.map(([name, value]) => [
      name.slice(0, HEADER_CHARS_MAX),
      value.slice(0, HEADER_CHARS_MAX),
    ]),
  )
}

function plain(status: number): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  }
  return new Response(`${status}\n`, { status, headers })
}
