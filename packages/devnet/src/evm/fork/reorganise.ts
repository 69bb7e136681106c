import type { DevnetReorganisation } from '../../../../../src/ports/devnet-control.ts'
import type { ForkParts } from './fork-parts.ts'
import {
  ChainRefusal,
  quantity,
  type RawBlock,
  type RawChain,
  type RawTransaction,
} from './raw-chain.ts'

type WholeBlock = RawBlock<RawTransaction>

/**
 * Replaces the last blocks. Whoever calls it keeps everybody else from the chain meanwhile. All
 * that can be refused is refused before anything has changed.
 */
export async function reorganise(parts: ForkParts, wanted: DevnetReorganisation): Promise<void> {
  const { chain, checkpoints, history } = parts
  const forkHeight = await forkHeightOf(parts, wanted)
  const replaced = await blocksAbove(chain, forkHeight)
  const pending = await pendingTransactions(chain)
  const clockAheadS = Number(await chain.result<string>('evm_increaseTime', 0))
  const left = await history.above(forkHeight)

  await checkpoints.goBack(forkHeight)
  history.replaced(left)
  const mined = wanted.transactions === 'keep' ? replaced.flatMap((it) => it.transactions) : []
  await refillPool(parts, [...mined, ...pending])

  // Without this the same transactions at the same time would give the same blocks.
  const randao = Buffer.from(parts.entropy.bytes(32)).toString('hex')
  await chain.result('hardhat_setPrevRandao', `0x${randao}`)
  const nowS = Math.floor(parts.clock.nowMs() / 1000) + clockAheadS
  for (let at = 0; at < wanted.blocks; at++) {
    await checkpoints.take()
    await mineSibling(chain, replaced[at], nowS)
  }
}

async function forkHeightOf({ chain, checkpoints }: ForkParts, { depth }: DevnetReorganisation) {
  const head = Number(await chain.result<string>('eth_blockNumber'))
  if (depth > head) {
    throw new ChainRefusal(`depth is ${depth}, and the chain has ${head} blocks after its first`)
  }
  if (!checkpoints.has(head - depth)) {
    const text = 'was mined in one step with the next one, so nothing can fork there'
    throw new ChainRefusal(`depth is ${depth}: block ${head - depth} ${text}`)
  }
  return head - depth
}

async function blocksAbove(chain: RawChain, height: number): Promise<WholeBlock[]> {
  const head = Number(await chain.result<string>('eth_blockNumber'))
  const blocks: WholeBlock[] = []
  for (let at = height + 1; at <= head; at++) {
    blocks.push(await chain.result<WholeBlock>('eth_getBlockByNumber', quantity(at), true))
  }
  return blocks
}

/** The pool as it was at the fork becomes the one that is wanted now. */
async function refillPool({ chain, sent }: ForkParts, wanted: readonly RawTransaction[]) {
  const hashes = new Set(wanted.map(({ hash }) => hash))
  const there = new Set<string>()
  for (const { hash } of await pendingTransactions(chain)) {
    if (hashes.has(hash)) there.add(hash)
    else await chain.ask('hardhat_dropTransaction', [hash])
  }
  for (const transaction of wanted) {
    if (!there.has(transaction.hash)) await sent.resend(transaction)
  }
}

/** A block has the time of the one that it replaces; the time of further ones is now. */
async function mineSibling(chain: RawChain, sibling: WholeBlock | undefined, nowS: number) {
  const parent = await chain.result<WholeBlock>('eth_getBlockByNumber', 'latest', false)
  const timeS = sibling === undefined ? nowS : Number(sibling.timestamp)
  await chain.result('evm_mine', quantity(Math.max(timeS, Number(parent.timestamp))))
}

function pendingTransactions(chain: RawChain): Promise<RawTransaction[]> {
  return chain.result<RawTransaction[]>('eth_pendingTransactions')
}
