import { type CachedReply, cacheReply } from '../edge/cached-reply.ts'

export type BundledFile = { type: string; text: string; base64?: true }

export type Bundle = Readonly<Record<string, BundledFile>>

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

const CACHING = {
  /** A page is asked for anew each time, and sent when it changed. */
  page: 'no-cache',
  /** The name of a file changes with its content. */
  asset: 'public, max-age=31536000, immutable',
} as const

/** A file as browsers get it: nothing but our own scripts may run beside it. */
export function bundledReply(file: BundledFile, kind: keyof typeof CACHING): CachedReply {
  const make = () => {
    const { type, text, base64 } = file
    const headers = { ...HEADERS, 'content-type': type, 'cache-control': CACHING[kind] }
    return new Response(base64 ? Buffer.from(text, 'base64') : text, { headers })
  }
  return cacheReply(make)
}
