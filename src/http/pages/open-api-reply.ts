import { openApiDocument } from '../contract/open-api-document.ts'
import { type CachedReply, cacheReply } from '../edge/cached-reply.ts'

const HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
} as const

export function openApiReply(publicUrl: string, tokenHeaders: readonly string[] = []): CachedReply {
  const text = () => JSON.stringify(openApiDocument(publicUrl, tokenHeaders))
  return cacheReply(() => new Response(text(), { headers: HEADERS }))
}
