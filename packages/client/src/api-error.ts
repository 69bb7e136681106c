export type ErrorLocation = { line: number; column: number }

type More = { retryAfterS?: number; locations?: readonly ErrorLocation[] }

/** A call that was refused, in the service's own words; status 0 where nobody answered. */
export class ApiError extends Error {
  readonly status: number
  /** Which kind of error, such as `NotFound`; the same as `name`. */
  readonly kind: string
  /** Whole seconds after which asking again makes sense; 0 where nothing is said. */
  readonly retryAfterS: number
  /** Where in a query the mistake is. */
  readonly locations: readonly ErrorLocation[]

  constructor(status: number, kind: string, message: string, more: More = {}) {
    super(message)
    this.name = kind
    this.status = status
    this.kind = kind
    this.retryAfterS = more.retryAfterS ?? 0
    this.locations = more.locations ?? []
  }
}

/** The error that a refusal tells. */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  const told: unknown = await response.json().catch(() => null)
  const { name, message, locations } = (told ?? {}) as Record<string, unknown>
  const retryAfterS = Number(response.headers.get('retry-after') ?? 0)
  return new ApiError(
    response.status,
    typeof name === 'string' ? name : 'Error',
    typeof message === 'string' ? message : `The answer was ${response.status}.`,
    {
      retryAfterS: Number.isFinite(retryAfterS) ? retryAfterS : 0,
      locations: Array.isArray(locations) ? locations : [],
    },
  )
}
