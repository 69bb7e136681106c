import type { NewReplay, ReplayStep } from '../../../src/tables/webhooks/replays.ts'
import { NOW_MS } from './delivery-store.ts'
import { NETWORK, TEAM_A } from './webhook-store.ts'

const FIRST = 1_000_000_000_001

export const newReplay = (differing: Partial<NewReplay> = {}): NewReplay => ({
  id: 'rpl_1',
  teamId: TEAM_A,
  webhookId: 'wh_1',
  network: NETWORK,
  fromBlock: 1,
  toBlock: 3,
  createdAtMs: NOW_MS,
  ...differing,
})

export const resultCalled = (data: string) => {
  return { data, bytes: Buffer.byteLength(data), truncation: null }
}

/** The step of a height that was followed from block 1 on. */
export const stepAt = (blockNumber: number, differing: Partial<ReplayStep> = {}): ReplayStep => ({
  replayId: 'rpl_1',
  webhookId: 'wh_1',
  network: NETWORK,
  blockNumber,
  blockHash: `0x${blockNumber}`,
  sequenceNumber: FIRST + blockNumber - 1,
  due: resultCalled(`{"replayed":${blockNumber}}`),
  atMs: NOW_MS + 1_000,
  ...differing,
})
