export type OutboundRequest = {
  url: string
  body: string
  /** The same object from call to call: a driver finds what it knows of an address by it. */
  headers: Readonly<Record<string, string>>
  /** Headers of this call alone, or null; visible ASCII, checked by whoever gives them. */
  callHeaders: Readonly<Record<string, string>> | null
  /** A second sending does no harm, should a kept connection turn out to be dead. */
  repeatable: boolean
}

/** An answer whose head has come; its body is read once, as text or as a stream. */
export type OutboundAnswer = {
  status: number
  header(name: string): string | null
  /** Bytes of the body if known, after decoding. */
  length: number | null
  /** The body, where it came together with the head; else it is still to be read. */
  whole: string | null
  text(): Promise<string>
  stream(): ReadableStream<Uint8Array>
}

/**
 * Receives what comes of a request. One of the two is called, once, with the context that the
 * request was posted with: functions made for each request would cost the hot path.
 */
export type OutboundListener<Context> = {
  answered(answer: OutboundAnswer, context: Context): void
  /** A Failure of code `upstream_unreachable` when nothing can have been sent. */
  lost(failure: unknown, context: Context): void
}

/** The only way out over HTTP. POST only; redirects are not followed, proxies not obeyed. */
export interface Outbound {
  /**
   * Returns how to give up, whatever has come so far; a body being read fails then. Without a
   * promise, for the hot path goes through here.
   */
  post<Context>(
    request: OutboundRequest,
    listener: OutboundListener<Context>,
    context: Context,
  ): () => void
}
