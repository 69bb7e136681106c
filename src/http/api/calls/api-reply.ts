import { Failure, type Rejection, type RejectionCode } from '../../../core/errors.ts'
import type { ErrorReply } from '../../contract/openapi.ts'
import type { Operation } from '../../contract/operation.ts'
import { compressAnswer, isCompressible } from '../../edge/compress-answer.ts'
import { entityTag, isKnown } from '../../edge/entity-tag.ts'
import { endsConnection } from '../../edge/request-bodies.ts'
import { CLEARED_COOKIE } from '../sessions/session-cookie.ts'

const ERROR_NAMES: Partial<Record<RejectionCode, string>> = {
  parse_error: 'ValidationError',
  validation: 'ValidationError',
  webhook_limit_reached: 'WebhookLimitReached',
  query_too_deep: 'QueryTooDeep',
  unsupported_field: 'UnsupportedField',
  unauthorized: 'Unauthorized',
  forbidden: 'Forbidden',
  not_found: 'NotFound',
  method_not_allowed: 'MethodNotAllowed',
  too_large: 'PayloadTooLarge',
  unsupported_media_type: 'UnsupportedMediaType',
  too_many_requests: 'TooManyRequests',
  request_timeout: 'RequestTimeout',
  conflict: 'Conflict',
  precondition_failed: 'PreconditionFailed',
  overloaded: 'Unavailable',
  upstream_failed: 'Unavailable',
  upstream_timeout: 'Timeout',
  insufficient_storage: 'InsufficientStorage',
}

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  // Answers hold keys: neither a shared cache nor a browser may store them.
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

export function jsonReply(
  value: unknown,
  status: number,
  extra: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify(value), { status, headers: { ...HEADERS, ...extra } })
}

/** A reply of text that is JSON already: parsing it would cost digits. */
export function jsonTextReply(text: string): Response {
  return new Response(text, { headers: HEADERS })
}

/** Makes the reply of a call of its text: with an entity tag where the contract says so. */
export function replyMaker({ answer, method }: Operation, headers: Headers) {
  if (!answer.headers?.ETag) return jsonTextReply
  // Only a read can find that nothing is new.
  const ifNoneMatch = method === 'get' ? headers.get('if-none-match') : null
  return (text: string) => {
    const tagged = { headers: { ...HEADERS, etag: entityTag(text) } }
    const isHeld = ifNoneMatch !== null && isKnown(ifNoneMatch, tagged.headers.etag)
    return isHeld ? new Response(null, { status: 304, ...tagged }) : new Response(text, tagged)
  }
}

export function plainTextReply(text: string): Response {
  return new Response(text, {
    headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' },
  })
}

export async function compressReply(response: Response, request: Request): Promise<Response> {
  const hasTag = response.headers.get('etag') !== null
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  // A strong tag is of one coding: a cached reply is compressed already, others are sent as they
  // are. A stream must not wait for its end.
  if (response.status !== 200 || hasTag || isStream) return response
  const bytes = await response.bytes()
  const { headers } = response
  if (!isCompressible(bytes)) return new Response(bytes, { headers })
  const compressed = compressAnswer(bytes, request.headers.get('accept-encoding'))
  headers.set('vary', 'accept-encoding')
  if (compressed) headers.set('content-encoding', compressed.coding)
  return new Response(compressed?.body ?? bytes, { headers })
}

export function refusalReply(rejection: Rejection, extra: Record<string, string> = {}): Response {
  const { retryAfterS, endsSession } = rejection.facts
  const headers = {
    ...(retryAfterS !== undefined && { 'retry-after': String(retryAfterS) }),
    ...(endsSession && { 'set-cookie': CLEARED_COOKIE }),
    ...(endsConnection(rejection) && { connection: 'close' }),
    ...extra,
  }
  const name = ERROR_NAMES[rejection.code] ?? 'Error'
  const place = rejection.facts.queryError?.place
  const locations = place && [{ line: place.line, column: place.column }]
  const body: ErrorReply = { name, message: rejection.message, ...(locations && { locations }) }
  return jsonReply(body, rejection.httpStatus, headers)
}

/** Something broke on our side; the log says what, the caller is not told. */
export function failureReply(error: unknown): Response {
  if (error instanceof Failure && error.code === 'database_unavailable') {
    const message = 'The store cannot be reached at the moment. Please try again.'
    return jsonReply({ name: 'Unavailable', message }, 503, { 'retry-after': '1' })
  }
  const message = 'Something went wrong on our side. Please try again.'
  return jsonReply({ name: 'InternalError', message }, 500)
}
