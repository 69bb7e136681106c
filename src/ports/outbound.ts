export type OutboundRequest = {
  url: string
  body: string
  headers: Record<string, string>
  signal: AbortSignal
}

/** The only way out over HTTP. POST only; redirects are not followed, proxies not obeyed. */
export interface Outbound {
  post(request: OutboundRequest): Promise<Response>
}
