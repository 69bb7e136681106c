import { assert } from '../../assert.ts'
import { quantity, type RawChain } from './raw-chain.ts'

export type Checkpoints = ReturnType<typeof openCheckpoints>

/** The past of the chain beyond its checkpoints, where there is an archive of it. */
export type ChainPast = {
  reaches(height: number): boolean
  /** The highest block there was in any run, replaced or not. */
  highest(): number
  /** Begins the chain anew after that block, which ends all snapshots. */
  forkAt(height: number): Promise<void>
  /** The chain has mined so much since it was begun that it is better begun anew. */
  isRenewalDue(): boolean
  /** A transaction as it was signed; null for one that was not, or long ago. */
  signed(hash: string): string | null
}

type Checkpoint = { snapshotId: number; height: number }

/** As deep as the chain can be taken back. */
export const DROPPED_MAX = 1_000
/** And one more to begin from. */
const CHECKPOINTS_MAX = DROPPED_MAX + 1

/** Far more than any test takes; the chain itself never forgets one. */
const SNAPSHOTS_MAX = 100_000

/**
 * The ways back of a chain: snapshots that users take, and one of ours before every block. A
 * snapshot is good for one return, which ends all that were taken after it.
 */
export function openCheckpoints(chain: RawChain, past: ChainPast | null) {
  // Ids only go up, and heights with them: a return ends all snapshots that lie above it.
  let own: Checkpoint[] = []
  const users = new Map<number, Checkpoint>()
  let lastUserId = 0
  let highest = past?.highest() ?? 0

  const snapshotNow = async (): Promise<Checkpoint> => {
    const height = Number(await chain.result<string>('eth_blockNumber'))
    return { snapshotId: Number(await chain.result<string>('evm_snapshot')), height }
  }
  const returnTo = async ({ snapshotId }: Checkpoint) => {
    const isBack = await chain.result<boolean>('evm_revert', quantity(snapshotId))
    assert(isBack, 'a checkpoint leads back')
    own = own.filter((one) => one.snapshotId < snapshotId)
    for (const [id, one] of users) if (one.snapshotId >= snapshotId) users.delete(id)
  }
  const ownAt = (height: number) => own.findLast((one) => one.height === height)

  return {
    /** To be called right before a block is mined. */
    async take() {
      const taken = await snapshotNow()
      own.push(taken)
      highest = Math.max(highest, taken.height + 1)
      if (own.length > CHECKPOINTS_MAX) own.shift()
    },
    highest: () => highest,
    has: (height: number) => ownAt(height) !== undefined || (past?.reaches(height) ?? false),
    /** The chain as it was right before the block after that height was mined. */
    async goBack(height: number) {
      const checkpoint = ownAt(height)
      if (checkpoint !== undefined) return returnTo(checkpoint)
      assert(past?.reaches(height) ?? false, 'only a checkpoint that is there is gone back to')
      await past?.forkAt(height)
      own = []
      users.clear()
    },
    /** Users have snapshots to go back to. */
    hasSnapshots: () => users.size > 0,
    /** A user's snapshot; its id counts those of users alone. */
    async snapshot() {
      users.set(++lastUserId, await snapshotNow())
      const [oldest] = users.keys()
      if (users.size > SNAPSHOTS_MAX && oldest !== undefined) users.delete(oldest)
      return lastUserId
    },
    /** The height that a user's snapshot leads to; null when there is none of this id. */
    heightOf: (userId: number) => users.get(userId)?.height ?? null,
    async revert(userId: number) {
      const checkpoint = users.get(userId)
      assert(checkpoint !== undefined, 'only a snapshot that is there is gone back to')
      await returnTo(checkpoint)
    },
  }
}
