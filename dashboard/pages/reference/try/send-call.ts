import { CALL_IDS, messageOf } from '../../../api/call-api.ts'
import { findVisitor } from '../../../api/session.ts'
import { invalidate } from '../../../api/use-call.ts'
import type { ReferenceCall } from '../document/reference-doc.ts'
import { type CallInputs, isKeyInHeader, isNodeCall, targetOf } from './call-request.ts'

type Sender = { team: string | undefined; key: string }

export type CallOutcome = Awaited<ReturnType<typeof sendCall>>

/** Larger answers are shown in part: a page of a few million signs is of no use. */
const SHOWN_MAX = 64 * 1024

const SHOWN_HEADERS: readonly string[] = [
  'retry-after',
  'x-headgate-cache',
  'x-headgate-cu',
  'x-headgate-upstream',
  'x-request-id',
]

/** Sends a call with the session's cookie, and tells how it went; throws where nobody answers. */
export async function sendCall(call: ReferenceCall, inputs: CallInputs, sender: Sender) {
  const target = targetOf(call, inputs, encodeURIComponent(sender.key))
  const startMs = performance.now()
  const response = await fetch(target, requestOf(call, inputs, sender)).catch((thrown) => {
    throw new Error(`Headgate does not answer: ${messageOf(thrown)}.`)
  })
  if (call.method !== 'GET') noticeChange(call)
  const whole = await response.text()
  const tookMs = performance.now() - startMs
  const type = response.headers.get('content-type') ?? ''
  const text = type.includes('json') ? pretty(whole) : whole
  return {
    status: response.status,
    tookMs,
    type,
    text: text.slice(0, SHOWN_MAX),
    /** Bytes that came and are not shown. */
    cutBytes: Math.max(0, text.length - SHOWN_MAX),
    headers: SHOWN_HEADERS.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    }),
  }
}

/** Numbers may have more digits than a script keeps, so that such text is shown as it came. */
function pretty(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    return JSON.stringify(value) === text ? JSON.stringify(value, null, 2) : text
  } catch {
    return text
  }
}

function requestOf(call: ReferenceCall, inputs: CallInputs, { team, key }: Sender): RequestInit {
  const headers = new Headers()
  if (team && !isNodeCall(call)) headers.set('X-Team-Id', team)
  if (isKeyInHeader(call)) headers.set('Authorization', `Bearer ${key}`)
  const body = inputs.body.trim()
  if (body) headers.set('content-type', 'application/json')
  return { method: call.method, headers, credentials: 'same-origin', ...(body && { body }) }
}

/** Other pages read anew, and somebody may be signed in or out now. */
function noticeChange(call: ReferenceCall): void {
  if (isNodeCall(call)) return
  if (call.path === '/api/session') void findVisitor()
  else invalidate(...CALL_IDS)
}
