import { Failure, type FailureCode } from '../../core/errors.ts'
import type { LocalMethods } from '../../gateway/local-methods.ts'
import { bytesOf, unwatchedStream } from '../../gateway/pieces-stream.ts'
import type { RpcRoute } from '../../http/rpc/rpc-route.ts'
import type { CacheStatus } from '../../upstream/answers/ask-network.ts'
import type { NetworkSet } from '../networks/network-set.ts'
import type { RequestMain } from '../worker/worker-drivers.ts'

type Answer = Awaited<ReturnType<LocalMethods['serve']>>

type ForwardedCall = { method: string; paramsText: string; teamId: string }

/** Describes the answer whose text or stream is the body. */
type AnswerHead =
  | { kind: 'result'; upstream: string; cache: CacheStatus }
  | { kind: 'error'; upstream: string | null; code: number }
  | { kind: 'failure'; code: FailureCode }

/** The key in the path of such a call: an RPC path, as workers forward no other calls by these. */
const KEY = 'accounts'

const HEAD = 'x-headgate-answer'

/** Longer answers are passed on as they come. */
const TEXT_BYTES_MAX = 64 * 1024

/** getProgramAccounts in a worker: scans, pages and index have one owner, the main process. */
export function forwardAccounts(requestMain: RequestMain): LocalMethods {
  return {
    async serve({ network }, method, paramsText, teamId) {
      const call: ForwardedCall = { method, paramsText, teamId }
      const headers = new Headers({ 'content-type': 'application/json' })
      const sent = { method: 'POST', headers, body: JSON.stringify(call) }
      let answer: Response
      try {
        answer = await requestMain(`/${network.slug}/v2/${KEY}`, sent)
      } catch {
        throw new Failure('upstream_unreachable', { reason: 'main process' })
      }
      return readAnswer(answer)
    },
  }
}

/** The same in the main process. */
export function serveForwardedAccounts(networks: NetworkSet, local: LocalMethods): RpcRoute {
  return async (request, { slug, key }) => {
    const service = networks.bySlug(slug)
    if (!service || key !== KEY) return reply({ kind: 'failure', code: 'upstream_unreachable' })
    const { method, paramsText, teamId } = JSON.parse(await request.text()) as ForwardedCall
    try {
      return answerReply(await local.serve(service, method, paramsText, teamId))
    } catch (thrown) {
      if (!(thrown instanceof Failure)) throw thrown
      return reply({ kind: 'failure', code: thrown.code })
    }
  }
}

async function readAnswer(answer: Response): Promise<Answer> {
  const headText = answer.headers.get(HEAD)
  if (headText === null || !answer.body) throw new Failure('upstream_unreachable')
  const head = JSON.parse(headText) as AnswerHead
  if (head.kind === 'failure') throw new Failure(head.code, { reason: 'main process' })
  if (head.kind === 'error') return { ...head, text: await answer.text() }
  const length = Number(answer.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  if (length > TEXT_BYTES_MAX) return { ...head, kind: 'stream', stream: answer.body }
  return { ...head, text: await answer.text() }
}

function answerReply(answer: Answer): Response {
  const { upstream } = answer
  if (answer.kind === 'error') {
    return reply({ kind: 'error', upstream, code: answer.code }, answer.text)
  }
  const head: AnswerHead = { kind: 'result', upstream: answer.upstream, cache: answer.cache }
  if (answer.kind === 'result') return reply(head, answer.text)
  if (answer.kind === 'stream') return reply(head, answer.stream)
  const { pieces } = answer
  const isLong = bytesOf(pieces) > TEXT_BYTES_MAX
  return reply(head, isLong ? unwatchedStream([...pieces]) : Buffer.concat(pieces))
}

function reply(head: AnswerHead, body: Bun.BodyInit = ' '): Response {
  return new Response(body, { headers: { [HEAD]: JSON.stringify(head) } })
}
