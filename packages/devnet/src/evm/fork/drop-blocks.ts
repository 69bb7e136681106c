import { DROPPED_MAX } from './checkpoints.ts'
import type { ForkParts } from './fork-parts.ts'
import { ChainRefusal, quantity, type RawTransaction } from './raw-chain.ts'

/**
 * Takes the chain back to a height, as a node that was reset: the head is lower until blocks are
 * mined anew, and no transaction waits for them. All that can be refused is refused before
 * anything has changed.
 */
export async function dropBlocks(parts: ForkParts, height: number): Promise<void> {
  const { chain, checkpoints, history } = parts
  await refuseUnlessWayBack(parts, height)
  const clockAheadS = Number(await chain.result<string>('evm_increaseTime', 0))
  const left = await history.above(height)

  await checkpoints.goBack(height)
  history.replaced(left)
  for (const { hash } of await chain.result<RawTransaction[]>('eth_pendingTransactions')) {
    await chain.ask('hardhat_dropTransaction', [hash])
  }

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
