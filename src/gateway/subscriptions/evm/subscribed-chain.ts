import { type Block, type BlockWants, HEADER_ONLY, type Header } from '../../../core/chain/block.ts'
import { withHeader } from '../../../core/chain/tail.ts'
import { isCorroborated } from '../../../core/chain/votes.ts'
import { headText, type LogText, logTexts } from '../../../core/subscriptions/log-text.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import { noteBlockShown } from '../../../upstream/answers/note-height-shown.ts'
import { votesAt } from '../../../upstream/blocks/headers.ts'
import { type ChainState, TAIL_LENGTH_MAX } from '../../../upstream/follow/chain-state.ts'
import { type Branch, finalizedAfter, findBranch } from '../../../upstream/follow/find-branch.ts'
import { mayFollow } from '../../../upstream/follow/may-follow.ts'
import { type BlockPrefetch, prefetchBlocks } from '../../../upstream/follow/prefetch-blocks.ts'
import type { FollowedBlock, HeldBlocks } from './followed-block.ts'

/** Hears of the chain's way, block by block. */
export type ChainListener = {
  /** False when nobody can want a log of this block, by its header. */
  wantsLogs(header: Block['raw']): boolean
  /**
   * A block with these logs became canonical. It replaces others, newest first. Returns the logs
   * that somebody was told of, which may have to be taken back.
   */
  advanced(
    replaced: readonly FollowedBlock[],
    logs: readonly LogText[],
    headText: string,
  ): readonly LogText[]
  /** The chain cannot be told without a gap any more. */
  lost(reason: string): void
}

/** The chain that subscribers are told of, from the head that the first of them found. */
export type SubscribedChain = ChainState & {
  telemetry: Telemetry
  listener: ChainListener
  held: HeldBlocks
  /** Logs of the last block were wanted: those of the next are read along with it. */
  readsLogs: boolean
  isStopped: boolean
}

type News = Parameters<typeof findBranch>[1]

const WITH_LOGS: BlockWants = { transactions: true, receipts: true, traces: false }

const TOO_DEEP = 'The chain was reorganised deeper than is remembered; please connect again.'

/** Brings subscribers to an announced head; false where it led nowhere, or not all the way. */
export async function followHead(chain: SubscribedChain, news: News): Promise<boolean> {
  const branch = await findBranch(chain, news)
  if (branch === null) return false
  if (branch === 'below_finality') {
    if (await isAgreed(chain, news)) chain.listener.lost(TOO_DEEP)
    return false
  }
  const { may } = await mayFollow(chain, branch)
  return may && !chain.isStopped && (await advance(chain, branch, news))
}

/** One node that has diverged loses its head; where most went along, the chain did. */
async function isAgreed({ service }: SubscribedChain, { header }: News): Promise<boolean> {
  const votes = await votesAt(service, header.number)
  return votes !== null && isCorroborated(votes, header.hash)
}

async function advance(chain: SubscribedChain, branch: Branch, news: News): Promise<boolean> {
  const { service } = chain
  const { selection } = service.pool
  const finalized = finalizedAfter(chain, branch)
  const blocks = prefetchBlocks(service, branch.headers, news.upstream)
  let isAdvanced = false
  for (const header of branch.headers) {
    const block = await readWanted(chain, header, blocks)
    if (!block) return isAdvanced
    // A client that is told of a block must find it when it asks for it.
    await noteBlockShown(service, header.number, selection.head, news.upstream.spec.name)
    if (chain.isStopped || !takeOver(chain, block, finalized)) return false
    isAdvanced = true
  }
  return isAdvanced
}

/** The block, with its logs where somebody may want one of them. */
async function readWanted(
  chain: SubscribedChain,
  header: Header,
  blocks: BlockPrefetch,
): Promise<Block | null> {
  const block = await blocks.read(header, chain.readsLogs ? WITH_LOGS : HEADER_ONLY)
  if (!block) return null
  const isWanted = chain.listener.wantsLogs(block.raw)
  chain.readsLogs = isWanted
  return isWanted && !block.has.receipts ? blocks.read(header, WITH_LOGS) : block
}

/** False when the way there cannot be told. */
function takeOver(chain: SubscribedChain, block: Block, finalized: number | null): boolean {
  const { header } = block
  const replaced = chain.held.take(chain.tail.filter(({ number }) => number >= header.number))
  if (replaced.some(({ logs }) => logs === null)) {
    chain.listener.lost(TOO_DEEP)
    return false
  }
  const keepFrom = Math.min(finalized ?? 0, header.number)
  chain.tail = withHeader(chain.tail, header, keepFrom, TAIL_LENGTH_MAX)
  chain.finalized = finalized
  chain.held.keepFrom(chain.tail[0]?.number ?? 0)
  const logs = block.has.receipts ? logTexts(block) : []
  const told = chain.listener.advanced(replaced.reverse(), logs, headText(block.raw))
  chain.held.add({ header, logs: told })
  return true
}
