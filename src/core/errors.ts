const HTTP_STATUS = {
  // A node answers so to a method that it does not have.
  method_not_served: 200,
  parse_error: 400,
  invalid_request: 400,
  validation: 400,
  webhook_limit_reached: 400,
  query_too_deep: 400,
  unauthorized: 401,
  network_not_enabled: 403,
  app_inactive: 403,
  paid_only: 403,
  forbidden: 403,
  // The access rules of an app.
  origin_not_allowed: 403,
  address_not_allowed: 403,
  rpc_method_not_allowed: 403,
  contract_not_allowed: 403,
  not_found: 404,
  unknown_network: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  throughput_exceeded: 429,
  capacity_exceeded: 429,
  too_many_requests: 429,
  invalid_params: 400,
  // The spec promises a 5xx for a query that asks for input data; clients re-send a 500.
  unsupported_field: 501,
  upstream_failed: 503,
  // We have no room for it now; the next moment may be better.
  overloaded: 503,
  unread_answers: 503,
  upstream_timeout: 504,
  // Only the operator can help, so a client that re-sends a 503 should not re-send this.
  insufficient_storage: 507,
} as const

export type RejectionCode = keyof typeof HTTP_STATUS

type RejectionFacts = {
  retryAfterS?: number
  /** The `RateLimit-*` headers of a throughput refusal. */
  rateLimit?: { limit: number; remaining: number; resetS: number }
  /** The cookie of the session is good for nothing any more. */
  endsSession?: true
  queryError?: QueryError
}

/** A mistake in the text of a query, in words that do not repeat its place. */
export type QueryError = {
  message: string
  /** Null where the query as a whole is meant. */
  place: TextPlace | null
}

/** Where something stands in a text; lines and columns count from 1, in UTF-16 units. */
export type TextPlace = {
  line: number
  column: number
  /** Null where it is not known where it ends. */
  length: number | null
}

/** A refusal is a value, not an exception: no stack, no unwinding, no surprise. */
export class Rejection {
  readonly code: RejectionCode
  readonly message: string
  readonly facts: RejectionFacts

  constructor(code: RejectionCode, message: string, facts: RejectionFacts = {}) {
    this.code = code
    this.message = message
    this.facts = facts
  }

  get httpStatus(): number {
    return HTTP_STATUS[this.code]
  }
}

export type FailureCode =
  | 'upstream_unreachable'
  | 'upstream_timed_out'
  | 'upstream_answered_badly'
  | 'upstream_disagreed'
  | 'database_unavailable'
  | 'signals_unavailable'
  | 'secret_unreadable'
  | 'start_failed'
  | 'spill_failed'
  | 'migration_failed'

/** The world let us down. Thrown, with its facts as fields, never as prose to be parsed. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly facts: Readonly<Record<string, string | number | boolean>>

  constructor(
    code: FailureCode,
    facts: Readonly<Record<string, string | number | boolean>> = {},
    cause?: unknown,
  ) {
    super(code, cause === undefined ? {} : { cause })
    this.code = code
    this.facts = facts
  }
}

/** A broken invariant is a bug of ours: crash where it is found, not where it hurts. */
export function assert(holds: boolean, invariant: string): asserts holds {
  if (!holds) throw new Error(`broken invariant: ${invariant}`)
}

/** The message of a thrown value, for logs. Anything can be thrown, so nothing is assumed. */
export function errorText(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message || thrown.name
    return String(thrown)
  } catch {
    // An object without a prototype cannot be turned into text.
    return 'unknown'
  }
}
