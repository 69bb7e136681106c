/** The trace that a request belongs to, by the W3C's Trace Context. */
export type TraceContext = {
  /** 32 hexadecimal digits: fit for a log as they are. */
  traceId: string
  /** Headers for the upstream, with a span of our own as the parent there. */
  headers: Readonly<Record<string, string>>
}

/** Version, trace, parent, flags; a later version may say more after these. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/

/** The one version that says how long it is. */
const VERSION = '00'

/** Sampled, and random id: the flags that have a meaning. */
const KNOWN_FLAGS = 0x03

/** The most that the recommendation asks everybody to pass on. */
const TRACESTATE_CHARS_MAX = 512
const TRACESTATE_MEMBERS_MAX = 32

const MEMBER =
  /^[ \t]*(?:[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256})?[ \t]*$/

/** A header longer than this is no `traceparent` of any version. */
const TRACEPARENT_CHARS_MAX = 256

/**
 * The trace in a caller's headers; null when they have none, or one that is not well-formed. By
 * the recommendation such a one is as good as none, and its state goes with it.
 */
export function readTraceContext(
  traceparent: string,
  tracestate: string | null,
  spanId: string,
): TraceContext | null {
  if (traceparent.length > TRACEPARENT_CHARS_MAX) return null
  const [, version, traceId, flags, more] = TRACEPARENT.exec(traceparent) ?? []
  if (version === undefined || traceId === undefined || flags === undefined) return null
  if (version === VERSION && more !== undefined) return null

  const known = (Number.parseInt(flags, 16) & KNOWN_FLAGS).toString(16).padStart(2, '0')
  const headers = { traceparent: `${VERSION}-${traceId}-${spanId}-${known}` }
  const passesOn = tracestate !== null && isTracestate(tracestate)
  return { traceId, headers: passesOn ? { ...headers, tracestate } : headers }
}

/** One bad member spoils all, as it cannot be known what belongs to it. */
function isTracestate(text: string): boolean {
  if (text.trim() === '' || text.length > TRACESTATE_CHARS_MAX) return false
  const members = text.split(',')
  return members.length <= TRACESTATE_MEMBERS_MAX && members.every((member) => MEMBER.test(member))
}
