export type OutboundRequest = {
  url: string
  body: string
  /** Kept from call to call: a driver finds what it knows of an address by this very object. */
  headers: Readonly<Record<string, string>>
  /** Of this call alone; visible ASCII, checked by whoever gives them. */
  callHeaders?: Readonly<Record<string, string>> | undefined
  /** A second sending does no harm, should a kept connection turn out to be dead. */
  repeatable: boolean
}

/** An answer whose head has come; its body is read once, as text or as a stream. */
export type OutboundAnswer = {
  status: number
  header(name: string): string | null
  /** Bytes of the body if known, after unpacking. */
  length: number | null
  /** The body, where it came together with the head; else it is still to be read. */
  whole: string | null
  text(): Promise<string>
  stream(): ReadableStream<Uint8Array>
}

export type OutboundCall = {
  /** Rejects with a Failure of code `upstream_unreachable` when nothing can have been sent. */
  answer: Promise<OutboundAnswer>
  /** Gives up, whatever has come so far; a body being read fails. */
  cancel(): void
}

/** Who is told of an answer. One of the two is called, once. */
export type OutboundHearer = {
  answered(answer: OutboundAnswer): void
  lost(failure: unknown): void
}

/** The only way out over HTTP. POST only; redirects are not followed, proxies not obeyed. */
export interface Outbound {
  post(request: OutboundRequest): OutboundCall

  /** The same without promises, where a driver can; returns how to give up. For the hot path. */
  postTo?(request: OutboundRequest, hearer: OutboundHearer): () => void
}
