import { type ArchiveNode, archiveCall } from './archive-calls.ts'

const HASH = /^0x[0-9a-f]{64}$/
const NUMBER = /^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/

type Check = (params: readonly unknown[]) => boolean

const isHash: Check = ([hash, ...more]) => HASH.test(String(hash)) && more.length === 0
const isBlock = (name: RegExp): Check => {
  return ([id, isWhole, ...more]) =>
    name.test(String(id)) && typeof isWhole === 'boolean' && more.length === 0
}

/** Calls that are answered at once; the chain would fetch the same and keep it in memory. */
const AT_ONCE: ReadonlyMap<string, Check> = new Map([
  ['eth_getBlockByHash', isBlock(HASH)],
  ['eth_getBlockByNumber', isBlock(NUMBER)],
  ['eth_getTransactionByHash', isHash],
  ['eth_getTransactionReceipt', isHash],
])

/** The answer about a block that the archive had before the chain went on; null for others. */
export function archivedAnswer(node: ArchiveNode, method: string, params: unknown): string | null {
  if (!Array.isArray(params) || !AT_ONCE.get(method)?.(params)) return null
  const { result = null } = archiveCall(node, { method, params }) as { result?: unknown }
  return result === null ? null : JSON.stringify({ result })
}
