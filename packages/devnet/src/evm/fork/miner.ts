import type { Traffic } from '../traffic/traffic.ts'
import type { Checkpoints } from './checkpoints.ts'
import { ChainRefusal, quantity, type RawBlock, type RawChain } from './raw-chain.ts'

/** Mines blocks so that each of the last ones can be gone back to. */
export type Miner = {
  /** The chain's answer to `evm_mine` with these params. */
  answer(params: unknown): Promise<string | null>
  /** Mines so many at once, all at the present time, with traffic in each. */
  mine(count: number): Promise<void>
  /** Mines as `hardhat_mine` does, whose blocks but for the first are so many seconds apart. */
  mineApart(count: bigint, intervalS: bigint): Promise<void>
}

/** As many as are kept. Each takes a fraction of a millisecond, and nobody else is answered. */
const APART_MAX = 50_000n

export function openMiner(chain: RawChain, checkpoints: Checkpoints, traffic: Traffic): Miner {
  const mineOne = async (...params: string[]) => {
    await checkpoints.take()
    await chain.result('evm_mine', ...params)
  }
  const headTimeS = async () => {
    const head = await chain.result<RawBlock>('eth_getBlockByNumber', 'latest', false)
    return BigInt(head.timestamp)
  }

  return {
    async answer(params) {
      await checkpoints.take()
      return chain.ask('evm_mine', params)
    },
    async mine(count) {
      for (let mined = 0; mined < count; mined++) {
        await checkpoints.take()
        await traffic.around(() => chain.result('evm_mine'))
      }
    },
    async mineApart(count, intervalS) {
      if (count > APART_MAX) throw new ChainRefusal(`at most ${APART_MAX} blocks are mined at once`)
      // EDR's own way for many gives blocks that do not tell their parents: nobody can follow them.
      if (count > 0n) await mineOne()
      for (let mined = 1n; mined < count; mined++) {
        await mineOne(quantity((await headTimeS()) + intervalS))
      }
    },
  }
}
