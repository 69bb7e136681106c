import { expect, test } from 'bun:test'
import type { Clock } from '../../clock.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { Checkpoints } from './checkpoints.ts'
import { openMiner } from './miner.ts'
import type { RawChain } from './raw-chain.ts'

/** A chain whose clock is ten seconds ahead, and whose head has that time. */
function minerAt(nowS: number, headS: number) {
  const mined: unknown[][] = []
  const answers = {
    evm_increaseTime: () => '10',
    eth_getBlockByNumber: () => ({ timestamp: `0x${headS.toString(16)}` }),
    evm_mine: (...params: unknown[]) => void mined.push(params),
  }
  const result = async (method: keyof typeof answers, ...params: unknown[]) =>
    answers[method](...params)
  const chain = {
    result,
    ask: (method: keyof typeof answers, params: unknown[]) => result(method, ...params),
  } as unknown as RawChain
  const checkpoints = { take: async () => {} } as unknown as Checkpoints
  const traffic = { around: (work: () => unknown) => work() } as unknown as Traffic
  const clock = { nowMs: () => nowS * 1000 + 999 } as Clock
  return { miner: openMiner({ chain, checkpoints, traffic, clock }), mined }
}

test('a clock that a way back has moved on is put right by the next block alone', async () => {
  const { miner, mined } = minerAt(1000, 900)
  miner.setBack(7)
  await miner.mine(2)
  expect(mined).toEqual([[`0x${(1003).toString(16)}`], []])
  miner.setBack(10)
  await miner.answer([])
  await miner.answer([])
  expect(mined.slice(2)).toEqual([[`0x${(1000).toString(16)}`], []])
})

test('no block is older than its parent, and one with a time of its own has that', async () => {
  const { miner, mined } = minerAt(1000, 2000)
  miner.setBack(10)
  await miner.answer(['0x9999'])
  await miner.mineApart(1n, 1n)
  expect(mined).toEqual([['0x9999'], [`0x${(2000).toString(16)}`]])
})
