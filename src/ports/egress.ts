/** The reason that a destination got nothing, as logs, metrics and the delivery log name it. */
export type EgressFault =
  /** The address rules forbid it; nothing was connected to. */
  | 'refused_address'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'reset'
  /** The answer is not HTTP. */
  | 'protocol'

export type EgressRequest = {
  url: string
  /** The team it is sent for: slow destinations of a team hold up that team alone. */
  teamId: string
  body: string
  headers: Readonly<Record<string, string>>
  /** A limit for everything: look-up, connection, sending, and the answer with its body. */
  timeoutMs: number
}

export type EgressOutcome = {
  /** Null when no answer came. */
  status: number | null
  fault: EgressFault | null
  /** The header as the destination sent it, or null. */
  retryAfter: string | null
  bodyStart: string
  /** The address that was connected to; null when none was. */
  address: string | null
  ms: EgressTimes
}

/** How long the parts of a request took: `connect` is TCP alone, and `tls` comes after it. */
export type EgressTimes = {
  lookup: number
  connect: number
  tls: number
  answer: number
  total: number
}

/**
 * The way out to destinations that callers name. Every address is vetted before it is
 * connected to, redirects are not followed, proxies not obeyed. Never throws.
 */
export interface Egress {
  /** Null when the address rules allow the URL as it resolves now; else why not, for a person. */
  vet(url: string, teamId: string): Promise<string | null>

  post(request: EgressRequest): Promise<EgressOutcome>

  close(): void
}
