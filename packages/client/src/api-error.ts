export type ErrorLocation = { line: number; column: number }

/** A call that was refused, in the service's own words; status 0 where nobody answered. */
export class ApiError extends Error {
  readonly status: number
  readonly kind: string
  readonly retryAfterS: number
  /** Where in a query the mistake is. */
  readonly locations: readonly ErrorLocation[]

  constructor(
    status: number,
    kind: string,
    message: string,
    more: { retryAfterS?: number; locations?: readonly ErrorLocation[] } = {},
  ) {
    super(message)
    this.status = status
    this.kind = kind
    this.retryAfterS = more.retryAfterS ?? 0
    this.locations = more.locations ?? []
  }
}
