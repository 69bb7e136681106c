import type { Contender } from './contenders.ts'
import type { HeadgateProcess } from './headgate-process.ts'

const ID = 'ETH_MAINNET'
const COMMITTED = /^headgate_blocks_total\{[^}]*\} (\d+)$/m

/** The network of a block node, as the configuration names it. */
export function blockNetwork(node: Contender) {
  const ws = node.url.replace('http', 'ws')
  const upstreams = [{ name: 'node', url: node.url, ws, traces: true }]
  return {
    id: ID,
    kind: 'evm',
    chainId: 1,
    verify: 'off',
    blockTimeMs: 12_000,
    finalityDepth: 64,
    upstreams,
  }
}

/** The node has a new block, and tells those who listen. */
export async function nextBlock({ url }: Contender): Promise<void> {
  for (const method of ['bench_prepare', 'bench_announce']) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] })
    await (await fetch(url, { method: 'POST', body })).text()
  }
}

/** How many blocks a process has run its queries on and committed. */
export async function blocksCommitted({ url }: HeadgateProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(COMMITTED.exec(text)?.[1] ?? 0)
}
