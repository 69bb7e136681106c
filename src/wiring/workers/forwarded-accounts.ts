import { Failure, type FailureCode } from '../../core/errors.ts'
import type { LocalMethods } from '../../gateway/local-methods.ts'
import { bytesOf, unwatchedStream } from '../../gateway/pieces-stream.ts'
import type { RpcRoute } from '../../http/rpc/rpc-route.ts'
import type { CacheStatus } from '../../upstream/answers/ask-network.ts'
import type { NetworkSet } from '../networks/network-set.ts'

type Answer = Awaited<ReturnType<LocalMethods['serve']>>

type ForwardedCall = { method: string; paramsText: string; teamId: string }

/** Names the client of a request that is passed on; believed from workers alone. */
export const ADDRESS_HEADER = 'x-headgate-client-address'

/** The key in the path of such a call: an RPC path, as workers pass on no calls by these. */
const KEY = 'accounts'

const KIND = 'x-headgate-kind'
const UPSTREAM = 'x-headgate-upstream'
const CACHE = 'x-headgate-cache'
const CODE = 'x-headgate-code'

const FAILURES: ReadonlySet<string> = new Set<FailureCode>([
  'upstream_unreachable',
  'upstream_timed_out',
  'upstream_answered_badly',
  'spill_failed',
])

/** Longer answers are passed on as they come. */
const TEXT_BYTES_MAX = 64 * 1024

export function accountsPath(slug: string): string {
  return `/${slug}/v2/${KEY}`
}

export function serveForwardedAccounts(networks: NetworkSet, local: LocalMethods): RpcRoute {
  return async (request, { slug, key }) => {
    const service = networks.bySlug(slug)
    if (!service || key !== KEY) return failureReply('upstream_unreachable')
    const { method, paramsText, teamId } = JSON.parse(await request.text()) as ForwardedCall
    try {
      return answerReply(await local.serve(service, method, paramsText, teamId))
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      return failureReply(thrown.code)
    }
  }
}

export async function readAccountsAnswer(answer: Response): Promise<Answer> {
  const { headers } = answer
  const kind = headers.get(KIND) ?? ''
  const code = headers.get(CODE) ?? ''
  if (answer.status !== 200 || !answer.body || !['error', 'result'].includes(kind)) {
    const failure = FAILURES.has(code) ? (code as FailureCode) : 'upstream_unreachable'
    throw new Failure(failure, { reason: 'main process' })
  }
  const named = headers.get(UPSTREAM)
  if (kind === 'error') {
    return { kind, code: Number(code), text: await answer.text(), upstream: named }
  }
  const source = { upstream: named ?? '', cache: (headers.get(CACHE) ?? 'miss') as CacheStatus }
  const length = Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  if (length > TEXT_BYTES_MAX) return { kind: 'stream', stream: answer.body, ...source }
  return { kind: 'result', text: await answer.text(), ...source }
}

function answerReply(answer: Answer): Response {
  const headers = new Headers({ [KIND]: answer.kind === 'error' ? 'error' : 'result' })
  if (answer.upstream !== null) headers.set(UPSTREAM, answer.upstream)
  if (answer.kind === 'error') {
    headers.set(CODE, String(answer.code))
    return new Response(answer.text, { headers })
  }
  headers.set(CACHE, answer.cache)
  if (answer.kind === 'result') return new Response(answer.text, { headers })
  if (answer.kind === 'stream') return new Response(answer.stream, { headers })
  if (bytesOf(answer.pieces) > TEXT_BYTES_MAX) {
    return new Response(unwatchedStream([...answer.pieces]), { headers })
  }
  return new Response(Buffer.concat(answer.pieces), { headers })
}

function failureReply(code: string): Response {
  return new Response('', { status: 502, headers: { [CODE]: code } })
}
