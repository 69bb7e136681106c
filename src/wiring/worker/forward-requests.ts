import { Failure, Rejection } from '../../core/errors.ts'
import type { LocalMethods } from '../../gateway/local-methods.ts'
import { refusalReply } from '../../http/api/calls/api-reply.ts'
import type { RequestBodies } from '../../http/edge/request-bodies.ts'
import type { Routes } from '../../http/server.ts'
import { ADDRESS_HEADER, accountsPath, readAccountsAnswer } from '../workers/forwarded-accounts.ts'
import type { WorkerDrivers } from './worker-drivers.ts'

type Needs = {
  requestOverSocket: WorkerDrivers['requestOverSocket']
  bodies: RequestBodies
  socket: string
  /** Paths of the pages that the main process has now. */
  pages(): ReadonlySet<string>
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

/** Passes management calls and pages on to the main process. */
export function forwardRequests(needs: Needs): Pick<Routes, 'api' | 'pages'> {
  const forward = async (path: string, method: string, headers: Headers, body: string) => {
    try {
      const sent = { method, headers: withoutConnection(headers), body }
      const answer = await needs.requestOverSocket(needs.socket, path, sent)
      const { status } = answer
      const passed = { status, headers: withoutConnection(answer.headers) }
      return new Response(hasBody(status) ? await answer.arrayBuffer() : null, passed)
    } catch {
      return refusalReply(new Rejection('overloaded', MAIN_IS_AWAY))
    }
  }

  return {
    async api(request, path, clientAddress) {
      const body = await needs.bodies.text(request)
      if (body instanceof Rejection) return refusalReply(body)
      const headers = new Headers(request.headers)
      headers.set(ADDRESS_HEADER, clientAddress)
      return forward(path + queryOf(request.url), request.method, headers, body)
    },
    pages: {
      get: (path) =>
        needs.pages().has(path)
          ? (headers) => forward(path, 'GET', withoutAddress(headers), '')
          : undefined,
    },
  }
}

/** getProgramAccounts: its scans, pages and index have one owner, the main process. */
export function forwardAccounts({
  requestOverSocket,
  socket,
}: Pick<Needs, 'requestOverSocket' | 'socket'>): LocalMethods {
  return {
    async serve({ network }, method, paramsText, teamId) {
      const headers = new Headers({ 'content-type': 'application/json' })
      const body = JSON.stringify({ method, paramsText, teamId })
      const sent = { method: 'POST', headers, body }
      let answer: Response
      try {
        answer = await requestOverSocket(socket, accountsPath(network.slug), sent)
      } catch {
        throw new Failure('upstream_unreachable', { reason: 'main process' })
      }
      return readAccountsAnswer(answer)
    },
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

function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
