import { isUtf8 } from 'node:buffer'
import { Rejection } from '../../core/errors.ts'
import { type Body, parseBody } from '../../core/rpc/jsonrpc.ts'
import type { Caller } from '../../gateway/app-directory.ts'
import { serveBatch } from '../../gateway/serve-batch.ts'
import { type RpcContext, refused, type ServeNeeds, serveRpc } from '../../gateway/serve-rpc.ts'
import type { Clock } from '../../ports/clock.ts'
import type { NetworkService } from '../../upstream/answers/ask-network.ts'
import { requestAny } from '../../upstream/pool/upstream-pool.ts'
import { UNCOUNTED_BYTES_MAX } from '../edge/request-bodies.ts'
import { type AccessLog, type RpcOutcome, several, single } from '../rpc/access-log.ts'

export type FrameNeeds = ServeNeeds & { clock: Clock; accessLog: AccessLog }

export type FrameSource = {
  caller: Caller
  service: NetworkService
  /** By `callerName`. */
  name: string
  subscriptions: NonNullable<RpcContext['subscriptions']>
}

export type ServedFrame = Pick<RpcOutcome, 'replies' | 'isBatch'> & Pick<RpcContext, 'held'>

/** One frame, read. A rejection answers the whole of it. */
export type Frame = { body: Body | Rejection; bytes: number; receivedAtMs: number }

/** Smaller than over HTTP: all answers of a batch are in memory before the first byte leaves. */
const BATCH_MEMBERS_MAX = 100

/** Reads a frame. Returns null for a binary one that does not contain UTF-8 JSON. */
export function readFrame(
  { clock }: Pick<FrameNeeds, 'clock'>,
  message: string | Buffer,
): Frame | null {
  const isBinary = typeof message !== 'string'
  if (isBinary && !isUtf8(message)) return null
  const body = parseBody(message.toString(), BATCH_MEMBERS_MAX)
  if (isBinary && body instanceof Rejection && body.code === 'parse_error') return null
  return { body, bytes: message.length, receivedAtMs: clock.monotonicMs() }
}

export async function serveFrame(
  needs: FrameNeeds,
  source: FrameSource,
  frame: Frame,
): Promise<ServedFrame> {
  const { caller, service, name, subscriptions } = source
  const body = admitFrame(needs, source, frame) ?? frame.body
  if (body instanceof Rejection) return refuseFrame(needs, source, frame, body)

  const isBatch = Array.isArray(body)
  const request = { caller, service, name, isBatch, subscriptions }
  const context: RpcContext = { ...request, held: null, trace: null }
  try {
    const outcome = Array.isArray(body)
      ? several(await serveBatch(needs, context, body), caller)
      : single(await serveRpc(needs, context, body, requestAny), caller)
    return noted(needs, source, frame, outcome, context.held)
  } catch (bug) {
    context.held?.release()
    throw bug
  }
}

/** Refuses a frame, each of its calls under its own id. */
export function refuseFrame(
  needs: FrameNeeds,
  source: FrameSource,
  frame: Frame,
  rejection: Rejection,
): ServedFrame {
  const { body } = frame
  const { caller } = source
  if (Array.isArray(body)) {
    const members = body.map(({ idText }) => refused(idText, '', rejection))
    const none = { centiCu: 0, cache: 'miss', upstream: 'none' } as const
    return noted(needs, source, frame, several({ members, ...none }, caller), null)
  }
  const idText = body instanceof Rejection ? 'null' : body.idText
  return noted(needs, source, frame, single(refused(idText, '', rejection), caller), null)
}

function noted(
  needs: FrameNeeds,
  { service }: FrameSource,
  { receivedAtMs: startedAtMs }: Frame,
  outcome: RpcOutcome,
  held: RpcContext['held'],
): ServedFrame {
  needs.accessLog.add({ network: service.network.id, trace: null, startedAtMs }, outcome)
  return { replies: outcome.replies, isBatch: outcome.isBatch, held }
}

/** Everybody has the demo key, so a large body has to be paid for before it is served. */
function admitFrame(
  needs: FrameNeeds,
  { caller, name }: FrameSource,
  { bytes }: Frame,
): Rejection | null {
  if (!caller.isDemo || bytes <= UNCOUNTED_BYTES_MAX) return null
  return needs.demo.admitBody(name)
}
