import { openSemaphore } from '../core/async/semaphore.ts'
import { Rejection } from '../core/errors.ts'
import type { BadCall, Call } from '../core/rpc/jsonrpc.ts'
import type { CacheStatus } from '../upstream/answers/ask-network.ts'
import { openBatchSender } from '../upstream/pool/batch-sender.ts'
import { isLocalMethod } from './local-methods.ts'
import { bytesOf } from './pieces-stream.ts'
import { type RpcContext, refused, type Served, type ServeNeeds, serveRpc } from './serve-rpc.ts'

export type ServedBatch = {
  members: Served[]
  centiCu: number
  cache: CacheStatus
  upstream: string
}

/** Local answers are held until the batch is sent, up to eight megabytes each. */
const HELD_BYTES_MAX = 256 * 2 ** 20

const LOCAL_AT_ONCE = 8

const TOO_LARGE = 'The answers of this batch are too large; please ask in smaller batches.'

/**
 * Runs the members side by side; answers stand in the order of the questions.
 * Members that reach an upstream in the same moment travel there together.
 */
export async function serveBatch(
  needs: ServeNeeds,
  context: RpcContext,
  calls: readonly (Call | BadCall)[],
): Promise<ServedBatch> {
  const sender = openBatchSender(context.service.pool)
  const serve = async (call: Call | BadCall) => serveRpc(needs, context, call, sender.add)
  const serveLocal = openLocalMembers(serve)
  const running = calls.map((call) =>
    'method' in call && isLocalMethod(context.service, call.method)
      ? serveLocal(call)
      : serve(call),
  )
  sender.flush()
  const members = await Promise.all(running)
  return {
    members,
    centiCu: members.reduce((sum, member) => sum + member.centiCu, 0),
    cache: members.every((member) => member.cache === 'hit') ? 'hit' : 'miss',
    upstream: upstreamsOf(members),
  }
}

/** Serves members by local methods, some at a time, until their answers hold too much. */
function openLocalMembers(serve: (call: Call) => Promise<Served>): (call: Call) => Promise<Served> {
  // Nobody is turned away: no more wait than a batch has members.
  const semaphore = openSemaphore(LOCAL_AT_ONCE, Number.POSITIVE_INFINITY)
  let heldBytes = 0
  return async (call) => {
    const release = await semaphore.acquire()
    try {
      if (heldBytes >= HELD_BYTES_MAX) {
        return refused(call.idText, call.method, new Rejection('too_large', TOO_LARGE))
      }
      const served = await serve(call)
      heldBytes += bytesHeld(served)
      return served
    } finally {
      release?.()
    }
  }
}

/** A stream holds hardly anything before it is read. */
function bytesHeld({ parts }: Served): number {
  if (typeof parts === 'string') return parts.length
  const [, answer] = parts
  return answer instanceof ReadableStream ? 0 : bytesOf(answer.pieces)
}

/** The upstreams that answered members; `none` when all members were refused. */
function upstreamsOf(members: readonly Served[]): string {
  const names = new Set(members.map((member) => member.upstream))
  if (names.size > 1) names.delete('none')
  return [...names].join(',')
}
