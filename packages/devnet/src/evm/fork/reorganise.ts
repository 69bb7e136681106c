import type { DevnetReorganisation } from '../../devnet-control.ts'
import { DROPPED_MAX } from './checkpoints.ts'
import type { ForkParts } from './fork-parts.ts'
import {
  ChainRefusal,
  quantity,
  type RawBlock,
  type RawChain,
  type RawTransaction,
} from './raw-chain.ts'

type WholeBlock = RawBlock<RawTransaction>

/** Replaces the last blocks. All that can be refused is refused before anything has changed. */
export async function reorganise(parts: ForkParts, wanted: DevnetReorganisation): Promise<void> {
  const { chain, checkpoints, history, sent } = parts
  const forkHeight = await forkHeightOf(parts, wanted)
  const replaced = await blocksAbove(chain, forkHeight)
  const pending = await pendingTransactions(chain)
  const clockAheadS = Number(await chain.result<string>('evm_increaseTime', 0))

  await history.whileGoingBack(forkHeight, () => checkpoints.goBack(forkHeight))
  const kept = wanted.transactions === 'keep' ? replaced.map((it) => it.transactions) : []
  await keepInPool(chain, [...kept.flat(), ...pending])

  // Without this the same transactions at the same time would give the same blocks.
  const randao = Buffer.from(parts.entropy.bytes(32)).toString('hex')
  await chain.result('hardhat_setPrevRandao', `0x${randao}`)
  const nowS = Math.floor(parts.clock.nowMs() / 1000) + clockAheadS
  for (let at = 0; at < wanted.blocks; at++) {
    await checkpoints.take()
    // All in one block would be more than can be traced in reasonable time.
    await sent.resend(kept[at] ?? [])
    if (at === replaced.length) await sent.resend(pending)
    await mineSibling(chain, replaced[at], nowS)
  }
}

async function forkHeightOf({ chain, checkpoints }: ForkParts, { depth }: DevnetReorganisation) {
  const head = Number(await chain.result<string>('eth_blockNumber'))
  if (depth > head) {
    throw new ChainRefusal(`depth is ${depth}, and the chain has ${head} blocks after its first`)
  }
  if (!checkpoints.has(head - depth)) {
    throw new ChainRefusal(`depth is ${depth}: no way leads back to block ${head - depth}`)
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

/** The pool as it was at the fork loses those that are not wanted any more. */
async function keepInPool(chain: RawChain, wanted: readonly RawTransaction[]): Promise<void> {
  const hashes = new Set(wanted.map(({ hash }) => hash))
  for (const { hash } of await pendingTransactions(chain)) {
    if (!hashes.has(hash)) await chain.ask('hardhat_dropTransaction', [hash])
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

/** Takes the chain back to a height, as a node that was reset: no transaction waits any more. */
export async function dropBlocks(parts: ForkParts, height: number): Promise<void> {
  const { chain, checkpoints, history } = parts
  await refuseUnlessWayBack(parts, height)
  const clockAheadS = Number(await chain.result<string>('evm_increaseTime', 0))

  await history.whileGoingBack(height, () => checkpoints.goBack(height))
  await keepInPool(chain, [])

  // EDR's way back moves its clock on by the time since the block; it is to go on as before.
  const excessS = Number(await chain.result<string>('evm_increaseTime', 0)) - clockAheadS
  if (excessS < 0) await chain.result('evm_increaseTime', quantity(-excessS))
  parts.miner.setBack(Math.max(0, excessS))
  const randao = Buffer.from(parts.entropy.bytes(32)).toString('hex')
  await chain.result('hardhat_setPrevRandao', `0x${randao}`)
}

async function refuseUnlessWayBack({ chain, checkpoints }: ForkParts, height: number) {
  const head = Number(await chain.result<string>('eth_blockNumber'))
  if (height >= head) {
    throw new ChainRefusal(`height is ${height}, and the head is block ${head}: nothing to drop`)
  }
  const lowest = Math.max(0, checkpoints.highest() - DROPPED_MAX)
  if (height < lowest) {
    const text = `blocks up to ${lowest} are final, so that is the lowest height to go back to`
    throw new ChainRefusal(`height is ${height}: ${text}`)
  }
  if (!checkpoints.has(height)) {
    throw new ChainRefusal(`height is ${height}: no way leads back there`)
  }
}
