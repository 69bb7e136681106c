import type { Clock } from '../../clock.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { Checkpoints } from './checkpoints.ts'
import { ChainRefusal, quantity, type RawBlock, type RawChain } from './raw-chain.ts'

type Needs = { chain: RawChain; checkpoints: Checkpoints; traffic: Traffic; clock: Clock }

/** As many as are kept. Each takes a fraction of a millisecond, and nobody else is answered. */
const APART_MAX = 50_000n

/** Mines blocks so that each of the last ones can be gone back to. */
export function openMiner({ chain, checkpoints, traffic, clock }: Needs) {
  let excessS = 0
  const mineOne = async (...params: string[]) => {
    await checkpoints.take()
    await chain.result('evm_mine', ...params)
  }
  const headTimeS = async () => {
    const head = await chain.result<RawBlock>('eth_getBlockByNumber', 'latest', false)
    return BigInt(head.timestamp)
  }
  /** The params of `evm_mine`: a block with a time of its own sets the chain's clock by it. */
  const presentTime = async (): Promise<string[]> => {
    if (excessS === 0) return []
    const aheadS = Number(await chain.result<string>('evm_increaseTime', 0)) - excessS
    excessS = 0
    const nowS = BigInt(Math.floor(clock.nowMs() / 1000) + aheadS)
    const parentS = await headTimeS()
    return [quantity(nowS > parentS ? nowS : parentS)]
  }

  return {
    async answer(params: unknown) {
      await checkpoints.take()
      const isPlain = Array.isArray(params) && params.length === 0
      return chain.ask('evm_mine', isPlain ? await presentTime() : params)
    },
    /** Mines so many at once, all at the present time, with traffic in each. */
    async mine(count: number) {
      for (let mined = 0; mined < count; mined++) {
        await checkpoints.take()
        const params = await presentTime()
        await traffic.around(() => chain.result('evm_mine', ...params))
      }
    },
    /** Mines as `hardhat_mine` does, whose blocks but for the first are so many seconds apart. */
    async mineApart(count: bigint, intervalS: bigint) {
      if (count > APART_MAX) throw new ChainRefusal(`at most ${APART_MAX} blocks are mined at once`)
      // EDR's own way for many gives blocks that do not tell their parents: nobody can follow them.
      if (count > 0n) await mineOne(...(await presentTime()))
      for (let mined = 1n; mined < count; mined++) {
        await mineOne(quantity((await headTimeS()) + intervalS))
      }
    },
    /** The chain's clock is so far ahead of what it ought to be; the next block puts it right. */
    setBack(seconds: number) {
      excessS = seconds
    },
  }
}
