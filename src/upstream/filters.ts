import { Failure } from '../core/errors.ts'
import type { PoolAnswer, PoolCall, UpstreamPool } from './run.ts'
import type { Upstream } from './upstream.ts'
import { requestAny, requestFrom } from './upstream-pool.ts'

/**
 * Filters live on the node that made them. The id a client gets names that node,
 * so that any process of ours finds it again without remembering anything.
 */
const MARK = 'f'
/** Tells filters of new blocks apart, whose changes are bare hashes like those of others. */
const BLOCK_MARK = 'b'
const NAME_HEX = 6
const MARKED_ID = /^0x[bf]([0-9a-f]{6})([0-9a-f]{1,64})$/

export async function serveFilter(pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
  if (call.method.startsWith('eth_new')) return createFilter(pool, call)

  const marked = MARKED_ID.exec(String(call.params[0]))
  const upstream = marked && homeOf(pool, marked[1] ?? '')
  if (!marked || !upstream) return filterNotFound()
  const params = [`0x${marked[2]}`, ...call.params.slice(1)]
  return requestFrom(pool, upstream, { ...call, params, paramsText: JSON.stringify(params) })
}

async function createFilter(pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
  const answer = await requestAny(pool, call)
  const { reply } = answer
  if (reply.kind !== 'result') return answer
  const id = typeof reply.value === 'string' ? /^0x([0-9a-fA-F]{1,64})$/.exec(reply.value) : null
  if (!id) throw new Failure('upstream_answered_badly')
  const mark = call.method === 'eth_newBlockFilter' ? BLOCK_MARK : MARK
  const marked = `0x${mark}${nameHex(answer.upstream)}${id[1]?.toLowerCase()}`
  return { ...answer, reply: { kind: 'result', text: `"${marked}"`, value: marked } }
}

/** True for the id of a filter that tells of new blocks. */
export function watchesBlocks(id: unknown): boolean {
  return String(id).startsWith(`0x${BLOCK_MARK}`)
}

function homeOf(pool: UpstreamPool, hex: string): Upstream | undefined {
  return pool.selection.upstreams.find((upstream) => nameHex(upstream.spec.name) === hex)
}

/** What a node says of a filter that has expired, which to the client is the same thing. */
function filterNotFound(): PoolAnswer {
  const error = { code: -32000, message: 'filter not found' }
  return {
    reply: { kind: 'error', text: JSON.stringify(error), ...error },
    upstream: 'none',
    unclearBefore: false,
  }
}

function nameHex(name: string): string {
  return Bun.hash.crc32(name).toString(16).padStart(8, '0').slice(0, NAME_HEX)
}
