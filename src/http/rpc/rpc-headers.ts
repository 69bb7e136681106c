import { CENTI_PER_CU } from '../../core/billing/plan.ts'
import type { Rejection } from '../../core/errors.ts'
import type { CacheStatus } from '../../upstream/answers/ask-network.ts'
import { endsConnection } from '../edge/request-bodies.ts'

type ReplyFacts = {
  centiCu: number
  cache: CacheStatus
  upstream: string
  /** Null for a success and for a batch, whose members carry their own. */
  rejection: Rejection | null
}

const EXPOSED = [
  'x-headgate-cu',
  'x-headgate-cache',
  'x-headgate-upstream',
  'x-request-id',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
].join(', ')

/** The headers of an answer without its request id. */
export type ReplyHeaders = (facts: ReplyFacts, request: Request) => Headers

/** Prices × cache words × upstreams in use; beyond that, making them anew is cheaper. */
const TEMPLATES_MAX = 2000

const CACHE_WORDS: readonly CacheStatus[] = ['hit', 'miss', 'coalesced']

/** Hot path: cloning a kept object costs a third of building the headers one by one. */
export function openReplyHeaders(): ReplyHeaders {
  // By upstream and price, then one place for each cache word, with and without a browser.
  const templates = new Map<string, Map<number, Headers[]>>()
  let templateCount = 0

  const addTemplate = (facts: ReplyFacts, place: number, fromBrowser: boolean): Headers => {
    if (templateCount >= TEMPLATES_MAX) {
      templates.clear()
      templateCount = 0
    }
    templateCount++
    const made = new Headers(plainHeaders(facts, fromBrowser))
    const prices = templates.get(facts.upstream) ?? new Map<number, Headers[]>()
    const places = prices.get(facts.centiCu) ?? []
    places[place] = made
    prices.set(facts.centiCu, places)
    templates.set(facts.upstream, prices)
    return made
  }

  return (facts, request) => {
    const fromBrowser = request.headers.get('origin') !== null
    if (facts.rejection) return refusalHeaders(facts, facts.rejection, request)
    const place = CACHE_WORDS.indexOf(facts.cache) * 2 + (fromBrowser ? 1 : 0)
    const known = templates.get(facts.upstream)?.get(facts.centiCu)?.[place]
    return known ?? addTemplate(facts, place, fromBrowser)
  }
}

/** Any page may call: the key is what counts, not the origin. */
export function preflightReply(request: Request): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'POST, OPTIONS',
      'access-control-allow-headers':
        request.headers.get('access-control-request-headers') ?? 'content-type, authorization',
      'access-control-max-age': '86400',
    },
  })
}

function plainHeaders(facts: ReplyFacts, fromBrowser: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'x-headgate-cu': cuText(facts.centiCu),
    'x-headgate-cache': facts.cache,
    'x-headgate-upstream': facts.upstream,
  }
  if (!fromBrowser) return headers
  // Only browsers ask who may read an answer, and they always say where they come from.
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = EXPOSED
  return headers
}

function refusalHeaders(facts: ReplyFacts, rejection: Rejection, request: Request): Headers {
  const fromBrowser = request.headers.get('origin') !== null
  const headers = new Headers(plainHeaders(facts, fromBrowser))
  const { retryAfterS, rateLimit } = rejection.facts
  if (rejection.code === 'method_not_allowed') headers.set('allow', 'POST, OPTIONS')
  if (endsConnection(rejection)) headers.set('connection', 'close')
  if (retryAfterS !== undefined) headers.set('retry-after', String(retryAfterS))
  if (rejection.code === 'capacity_exceeded' && waitsForMinutes(request, fromBrowser)) {
    headers.set('retry-after', '1')
  }
  if (!rateLimit) return headers
  headers.set('ratelimit-limit', String(rateLimit.limit))
  headers.set('ratelimit-remaining', String(rateLimit.remaining))
  headers.set('ratelimit-reset', String(rateLimit.resetS))
  return headers
}

/**
 * A used-up month names no time to come back at. But ethers repeats every 429 for up to five
 * minutes, and then says `timeout`, unless it is told a wait, which it takes for milliseconds:
 * told 1, it gives up within a blink and shows our message. It names no user agent, and in a
 * browser cannot be told from others, whom a second does not hurt.
 */
function waitsForMinutes(request: Request, fromBrowser: boolean): boolean {
  return fromBrowser || request.headers.get('user-agent') === null
}

/** Hundredths printed as units without passing through a fraction. */
function cuText(centiCu: number): string {
  const rest = centiCu % CENTI_PER_CU
  const units = (centiCu - rest) / CENTI_PER_CU
  return rest === 0 ? String(units) : `${units}.${String(rest).padStart(2, '0')}`
}
