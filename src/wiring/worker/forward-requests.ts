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

type Sender = { client: StreamClient; address: string }

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
  const forward = async (path: string, request: ForwardedRequest, sender?: Sender) => {
    try {
      const headers = withoutConnection(request.headers)
      // The main process believes this header, so a client's own never reaches it.
      headers.delete(ADDRESS_HEADER)
      if (sender) headers.set(ADDRESS_HEADER, sender.address)
      const answer = await needs.requestMain(path, { ...request, headers })
      const { status } = answer
      const passed = { status, headers: withoutConnection(answer.headers) }
      if (sender && isEventStream(answer)) return passEvents(answer, sender.client)
      return new Response(hasBody(status) ? await answer.arrayBuffer() : null, passed)
    } catch {
      return refusalReply(new Rejection('overloaded', MAIN_IS_AWAY))
    }
  }

  return {
    async api(request, path, client) {
      const { method, headers, url } = request
      // Asked first: one that is gone after its body has no address any more.
      const sender = { client, address: client.address() }
      const body = await needs.bodies.text(request)
      if (body instanceof Rejection) return refusalReply(body)
      return forward(path + queryOf(url), { method, headers, body }, sender)
    },
    pages: {
      get: (path) =>
        needs.pages.has(path)
          ? (headers) => forward(path, { method: 'GET', headers, body: '' })
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
    const { method, headers, signal } = request
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
