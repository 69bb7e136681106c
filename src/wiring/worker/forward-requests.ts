import { Rejection } from '../../core/errors.ts'
import { refusalReply } from '../../http/api/calls/api-reply.ts'
import { openEventStream } from '../../http/api/events/event-stream.ts'
import type { StreamClient } from '../../http/edge/client.ts'
import type { ByteBodies, RequestBodies } from '../../http/edge/request-bodies.ts'
import { openInboxBodies } from '../../http/inbox/inbox-bodies.ts'
import type { InboxRoute, Routes } from '../../http/server.ts'
import type { Clock } from '../../ports/clock.ts'
import { ADDRESS_HEADER } from '../workers/worker-settings.ts'
import type { ForwardedRequest, RequestMain } from './worker-drivers.ts'

type Needs = {
  bodies: RequestBodies
  clock: Clock
  /** There are inboxes in local development alone. */
  isLocal: boolean
  requestMain: RequestMain
  /** Paths of the main process's pages. */
  pages: ReadonlySet<string>
}

/** Headers of one connection, which are not passed on over another. */
const OF_THE_CONNECTION = [
  'connection',
  'content-length',
  'date',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const MAIN_IS_AWAY = 'The service is being restarted; please try again.'

export function forwardRequests(needs: Needs): Pick<Routes, 'api' | 'pages' | 'inbox'> {
  const forward = async (path: string, request: ForwardedRequest, client?: StreamClient) => {
    try {
      const sent = { ...request, headers: withoutConnection(request.headers) }
      const answer = await needs.requestMain(path, sent)
      const { status } = answer
      const passed = { status, headers: withoutConnection(answer.headers) }
      if (client && isEventStream(answer)) return passEvents(answer, client)
      return new Response(hasBody(status) ? await answer.arrayBuffer() : null, passed)
    } catch {
      return refusalReply(new Rejection('overloaded', MAIN_IS_AWAY))
    }
  }

  return {
    async api(request, path, client) {
      const headers = new Headers(request.headers)
      headers.set(ADDRESS_HEADER, client.address())
      const body = await needs.bodies.text(request)
      if (body instanceof Rejection) return refusalReply(body)
      const { method } = request
      return forward(path + queryOf(request.url), { method, headers, body }, client)
    },
    pages: {
      get: (path) =>
        needs.pages.has(path)
          ? (headers) =>
              forward(path, { method: 'GET', headers: withoutAddress(headers), body: '' })
          : undefined,
    },
    inbox: needs.isLocal ? forwardInbox(openInboxBodies(needs.clock), forward) : null,
  }
}

/** An inbox may keep its sender waiting until that gives up. */
function forwardInbox(
  bodies: ByteBodies,
  forward: (path: string, request: ForwardedRequest) => Promise<Response>,
): InboxRoute {
  return async (request, name) => {
    const body = await bodies.bytes(request)
    if (body instanceof Rejection) return refusalReply(body)
    const { method, signal } = request
    const headers = withoutAddress(request.headers)
    return forward(`/inbox/${name}`, { method, headers, body, signal })
  }
}

function queryOf(url: string): string {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

function withoutConnection(headers: Headers): Headers {
  const kept = new Headers(headers)
  for (const name of OF_THE_CONNECTION) kept.delete(name)
  return kept
}

/** The main process believes this header, so a client's own never reaches it. */
function withoutAddress(headers: Headers): Headers {
  const kept = new Headers(headers)
  kept.delete(ADDRESS_HEADER)
  return kept
}

/** It is passed on as it comes, for it has no end. */
function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** As much is held here of what a client does not take as in the main process, and no more. */
function passEvents({ body }: Response, client: StreamClient): Response {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  const stream = openEventStream(client, () => void reader?.cancel().catch(() => {}))
  const pass = async () => {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done) return
      stream.send(decoder.decode(value, { stream: true }))
    }
  }
  // It is over in the main process, or that is gone: the client comes back to whoever is there.
  pass()
    .catch(() => {})
    .then(() => stream.end('stopped'))
  return stream.response
}

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
