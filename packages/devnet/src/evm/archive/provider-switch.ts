import type { Clock } from '../../clock.ts'
import { quantity, type RequestHandler } from '../fork/raw-chain.ts'

export type ProviderSwitch = ReturnType<typeof openProviderSwitch>

type Call = { method: string; params: readonly unknown[] }

/** Every chain counts its subscriptions from one, and an id must mean one thing alone. */
const IDS_PER_CHAIN = 1n << 32n

const GIVES_ID = new Set([
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_subscribe',
])
const TAKES_ID = new Set([
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_uninstallFilter',
  'eth_unsubscribe',
])
const FILTERS = /^eth_(?:new|get)/
const WITH_ID = new RegExp(`"method":"(?:${[...GIVES_ID, ...TAKES_ID].join('|')})"`)

/** EDR forgets a filter that nobody has asked for so long. */
const FILTER_MS_MAX = 300_000

/** One chain after another in the same place, whose listeners go on hearing. */
export function openProviderSwitch(clock: Pick<Clock, 'nowMs'>, first: RequestHandler) {
  let provider = first
  let firstId = 0n
  /** The parameters of each subscription, by the id that its listener knows. */
  const subscribed = new Map<string, readonly unknown[]>()
  /** Subscriptions that were taken over from a chain before, and their ids on this one. */
  let takenOver = new Map<string, bigint>()
  let filterAskedAtMs = Number.NEGATIVE_INFINITY

  /** The id under which listeners know a subscription of the chain that is in place. */
  const listenedId = (id: bigint): bigint => {
    for (const [listened, own] of takenOver) if (own === id) return BigInt(listened)
    return id + firstId
  }
  const ownId = (listened: unknown): unknown => {
    if (typeof listened !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(listened)) return listened
    const own = takenOver.get(quantity(BigInt(listened))) ?? BigInt(listened) - firstId
    return quantity(own < 0n ? 0n : own)
  }
  const asked = async ({ method, params }: Call): Promise<{ data: unknown }> => {
    if (FILTERS.test(method) && !subscribed.has(String(params[0]))) filterAskedAtMs = clock.nowMs()
    const sent = TAKES_ID.has(method) ? params.map(ownId) : params
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent })
    const { data } = await provider.handleRequest(request)
    const { result } = typeof data === 'string' ? JSON.parse(data) : Object(data)
    if (method === 'eth_unsubscribe' && result === true) {
      takenOver.delete(String(params[0]))
      subscribed.delete(String(params[0]))
    }
    if (!GIVES_ID.has(method) || typeof result !== 'string') return { data }
    const id = quantity(BigInt(result) + firstId)
    if (method === 'eth_subscribe') subscribed.set(id, params)
    return { data: JSON.stringify({ result: id }) }
  }

  return {
    handleRequest: (request: string): Promise<{ data: unknown }> =>
      WITH_ID.test(request) ? asked(JSON.parse(request)) : provider.handleRequest(request),
    /** All who subscribed hear the next chain from here on; filters end with the old one. */
    async switchTo(next: RequestHandler) {
      provider = next
      firstId += IDS_PER_CHAIN
      takenOver = new Map()
      for (const [listened, params] of subscribed) {
        const request = { jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params }
        const { data } = await next.handleRequest(JSON.stringify(request))
        takenOver.set(listened, BigInt(JSON.parse(String(data)).result))
      }
    },
    /** Somebody asks a filter now and then, which would end with the chain. */
    hasFilters: () => clock.nowMs() - filterAskedAtMs < FILTER_MS_MAX,
    listenedId,
  }
}
