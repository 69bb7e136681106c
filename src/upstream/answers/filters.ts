import { timingSafeEqual } from 'node:crypto'
import { assert, Failure } from '../../core/errors.ts'
import type { FilterOwner, PoolAnswer, PoolCall, UpstreamPool } from '../pool/routed-request.ts'
import { requestAny, requestFrom } from '../pool/upstream-pool.ts'

/**
 * Filters live on the node that made them. The id a client gets names that node and is signed
 * for the one who asked, so that any process of ours finds the filter again, for nobody else,
 * without remembering anything.
 */
const MARK = 'f'
/** Tells filters of new blocks apart, whose changes are bare hashes like those of others. */
const BLOCK_MARK = 'b'
const NAME_HEX = 6
/** 64 bits cannot be guessed over a network; with a node's 128 the id still fits a uint256. */
const SIGNATURE_HEX = 16
const MARKED_ID = /^0x0*([bf])([0-9a-f]{6})([0-9a-f]{16})([0-9a-f]{1,64})$/i

const WATCHES_BLOCKS = new RegExp(`^0x0*${BLOCK_MARK}`, 'i')

/** Longer than any id of ours, with zeros that a client may have put before it. */
const ID_CHARS_MAX = 160

export async function serveFilter(pool: UpstreamPool, call: PoolCall): Promise<PoolAnswer> {
  const { owner } = call
  assert(!!owner, 'a filter is asked for in the name of a caller')
  if (call.method.startsWith('eth_new')) return createFilter(pool, call, owner)

  const found = findFilter(pool, call.params[0], owner)
  if (!found) return filterNotFound()
  const params = [`0x${found.nodeId}`, ...call.params.slice(1)]
  const paramsText = JSON.stringify(params)
  return requestFrom(pool, found.upstream, { ...call, params, paramsText })
}

async function createFilter(
  pool: UpstreamPool,
  call: PoolCall,
  owner: FilterOwner,
): Promise<PoolAnswer> {
  const answer = await requestAny(pool, call)
  const { reply } = answer
  if (reply.kind !== 'result') return answer
  const id = typeof reply.value === 'string' ? /^0x([0-9a-fA-F]{1,64})$/.exec(reply.value) : null
  if (!id) throw new Failure('upstream_answered_badly')
  const nodeId = (id[1] ?? '').toLowerCase()
  const mark = call.method === 'eth_newBlockFilter' ? BLOCK_MARK : MARK
  const signed = signature(pool, owner, mark, answer.upstream, nodeId)
  const marked = `0x${mark}${nameHex(answer.upstream)}${signed}${nodeId}`
  return { ...answer, reply: { kind: 'result', text: `"${marked}"`, value: marked } }
}

/** The node's own id and its node, when the id was given to this very caller. */
function findFilter(pool: UpstreamPool, id: unknown, owner: FilterOwner) {
  if (typeof id !== 'string' || id.length > ID_CHARS_MAX) return null
  const [, mark = '', upstreamHex = '', signed = '', nodeId = ''] =
    MARKED_ID.exec(id)?.map((part) => part.toLowerCase()) ?? []
  // Two names may share a checksum, so the signature has the last word.
  const upstream = pool.selection.upstreams.find(
    ({ spec }) =>
      nameHex(spec.name) === upstreamHex &&
      timingSafeEqual(
        Buffer.from(signed),
        Buffer.from(signature(pool, owner, mark, spec.name, nodeId)),
      ),
  )
  return upstream ? { upstream, nodeId } : null
}

function signature(
  pool: UpstreamPool,
  { secret, name }: FilterOwner,
  ...parts: readonly string[]
): string {
  const text = JSON.stringify([pool.network.id, name, ...parts])
  return new Bun.CryptoHasher('sha256', secret).update(text).digest('hex').slice(0, SIGNATURE_HEX)
}

export function watchesBlocks(id: unknown): boolean {
  return typeof id === 'string' && WATCHES_BLOCKS.test(id)
}

/** The answer of a node to an expired filter, which to the client is the same thing. */
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
