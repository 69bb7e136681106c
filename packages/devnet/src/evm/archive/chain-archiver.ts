import { ChainRefusal, type RawChain } from '../fork/raw-chain.ts'
import { captureBlock, readState } from './capture-block.ts'
import type { CapturedBlock, ChainArchive } from './chain-archive.ts'
import type { StateKey } from './state-history.ts'

export type ChainArchiver = ReturnType<typeof openChainArchiver>

type Needs = {
  chain: RawChain
  archive: ChainArchive
  /** The archive ends here; the chain goes on without it. */
  gaveUp(reason: string): void
  wrote(): void
}

/** Blocks that are written together: few enough that no request waits for long. */
const TOGETHER_MAX = 50

type Written = { key: StateKey; height: number }

/** Writes into the archive what happens on the chain, a moment after it has happened. */
export function openChainArchiver(needs: Needs) {
  const { chain, archive } = needs
  const written: Written[] = []
  let signed = new Map<string, string>()
  /** Changes when the chain goes back, so that nothing is written that was read before. */
  let branch = 0
  let isReturning = false
  let hasGivenUp = false

  const round = async () => {
    if (isReturning || hasGivenUp) return
    const began = branch
    const isCurrent = () => branch === began && !isReturning
    await catchUp(needs, isCurrent)
    await writeStates(needs, written, isCurrent)
    if (signed.size > 0) archive.noteSigned(signed)
    signed = new Map()
  }
  /** While the chain goes back it refuses what it has no more; else the archive has a gap. */
  const refused = (thrown: unknown) => {
    if (isReturning && thrown instanceof ChainRefusal) return
    hasGivenUp = true
    needs.gaveUp(thrown instanceof Error ? thrown.message : String(thrown))
  }
  const rounds = coalesced(round, refused)

  return {
    isKeeping: () => !hasGivenUp,
    /** There may be blocks that the archive does not have. */
    mined: rounds.ask,
    /** A part of the state was set by hand. */
    async wrote(key: StateKey) {
      written.push({ key, height: await headHeight(chain) })
      rounds.ask()
    },
    signed(hash: string, bytes: string) {
      signed.set(hash, bytes)
      rounds.ask()
    },
    /** Does work that takes the chain back; the archive goes back with it. */
    async whileReturning<T>(work: () => Promise<T>): Promise<T> {
      isReturning = true
      branch += 1
      await rounds.idle()
      try {
        return await work()
      } finally {
        if (!hasGivenUp) await goBack(needs)
        isReturning = false
        rounds.ask()
      }
    },
    /** Ends when the archive has all that the chain has. */
    settled: rounds.idle,
  }
}

async function headHeight(chain: RawChain): Promise<number> {
  return Number(await chain.result<string>('eth_blockNumber'))
}

function archivedHeight(archive: ChainArchive): number {
  return archive.blocks.head()?.number ?? -1
}

async function catchUp({ chain, archive, wrote }: Needs, isCurrent: () => boolean): Promise<void> {
  const top = await headHeight(chain)
  while (archivedHeight(archive) < top) {
    const captured = await captureNext(chain, archivedHeight(archive), top)
    if (captured.length === 0 || !isCurrent()) return
    archive.append(captured)
    archive.prune()
    wrote()
  }
}

async function captureNext(
  chain: RawChain,
  archived: number,
  top: number,
): Promise<CapturedBlock[]> {
  const captured: CapturedBlock[] = []
  for (let at = archived + 1; at <= top && captured.length < TOGETHER_MAX; at++) {
    const one = await captureBlock(chain, at)
    if (one === null) break
    captured.push(one)
  }
  return captured
}

async function writeStates(
  { chain, archive }: Needs,
  written: Written[],
  isCurrent: () => boolean,
): Promise<void> {
  for (let [next] = written; next !== undefined; [next] = written) {
    const { key, height } = next
    // One of a block that was taken back went with it.
    const isThere = height <= archivedHeight(archive)
    const changes = isThere ? await readState(chain, [key], height) : []
    if (!isCurrent()) return
    archive.setState(height, changes)
    written.shift()
  }
}

/** State that was set by hand right after the new head may have been undone as well. */
async function goBack({ chain, archive }: Needs): Promise<void> {
  const height = await headHeight(chain)
  if (height > archivedHeight(archive)) return
  archive.forgetAbove(height)
  archive.setState(height, await readState(chain, archive.state.changedAt(height), height))
}

/** Runs `work` once for any number of requests that come while it runs, one run at a time. */
function coalesced(work: () => Promise<void>, failed: (thrown: unknown) => void) {
  let running: Promise<void> | null = null
  let isAsked = false
  const run = async () => {
    while (isAsked) {
      isAsked = false
      await Promise.try(work).catch(failed)
    }
    running = null
  }
  return {
    ask() {
      isAsked = true
      running ??= run()
    },
    async idle() {
      while (running) await running
    },
  }
}
