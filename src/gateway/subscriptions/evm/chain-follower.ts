import { openBackoff } from '../../../core/async/backoff.ts'
import { openWakeableSleep, type WakeableSleep } from '../../../core/async/wakeable-sleep.ts'
import { type Block, type BlockWants, HEADER_ONLY, type Header } from '../../../core/chain/block.ts'
import { withHeader } from '../../../core/chain/tail.ts'
import { isCorroborated } from '../../../core/chain/votes.ts'
import { errorText } from '../../../core/errors.ts'
import { headText, type LogText, logTexts } from '../../../core/subscriptions/log-text.ts'
import type { Telemetry } from '../../../ports/telemetry.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { noteBlockShown } from '../../../upstream/answers/note-height-shown.ts'
import { votesAt } from '../../../upstream/blocks/headers.ts'
import {
  backOff,
  bestNews,
  type ChainState,
  TAIL_LENGTH_MAX,
} from '../../../upstream/follow/chain-state.ts'
import { type Branch, finalizedAfter, findBranch } from '../../../upstream/follow/find-branch.ts'
import { mayFollow } from '../../../upstream/follow/may-follow.ts'
import { type BlockPrefetch, prefetchBlocks } from '../../../upstream/follow/prefetch-blocks.ts'
import { type FollowedBlock, type HeldBlocks, openHeldBlocks } from './followed-block.ts'

export type ChainFollower = { stop(): void }

type ChainListener = {
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
type SubscribedChain = ChainState & {
  telemetry: Telemetry
  listener: ChainListener
  held: HeldBlocks
  /** Logs of the last block were wanted: those of the next are read along with it. */
  readsLogs: boolean
  isStopped: boolean
}

type News = Parameters<typeof findBranch>[1]

/** Heads are checked this often without news, for what time alone changes: votes. */
const CHECK_EVERY_MS = 1000

const FAILURE_BACKOFF = { minMs: 100, maxMs: 5000 }

const WITH_LOGS: BlockWants = { transactions: true, receipts: true, traces: false }

const TOO_DEEP = 'The chain was reorganised deeper than is remembered; please connect again.'

/**
 * Follows the chain for subscribers from the head that the upstreams agree on, as the follower of
 * events does, but in memory. Null while they have none.
 */
export function followChain(
  world: World,
  service: NetworkService,
  listener: ChainListener,
): ChainFollower | null {
  const chain: SubscribedChain = {
    service,
    telemetry: world.telemetry,
    listener,
    tail: [],
    finalized: null,
    backedOffUntilMs: new Map(),
    held: openHeldBlocks(),
    readsLogs: false,
    isStopped: false,
  }
  const first = bestNews(chain)
  if (!first) return null
  chain.tail = [first.header]
  const idle = openWakeableSleep(world.clock)
  const unsubscribe = service.heads.subscribe(idle.wake)
  void followUntilStopped(chain, idle)
  return {
    stop() {
      chain.isStopped = true
      unsubscribe()
      idle.close()
    },
  }
}

async function followUntilStopped(chain: SubscribedChain, idle: WakeableSleep): Promise<void> {
  const backoff = openBackoff(FAILURE_BACKOFF)
  while (!chain.isStopped) {
    try {
      await followHeads(chain)
      backoff.reset()
      await idle.sleep(CHECK_EVERY_MS)
    } catch (thrown) {
      if (chain.isStopped) return
      const network = chain.service.network.id
      chain.telemetry.log('warn', 'subscriptions_behind', { network, reason: errorText(thrown) })
      await idle.pause(backoff.nextMs())
    }
  }
}

async function followHeads(chain: SubscribedChain): Promise<void> {
  for (let news = bestNews(chain); news && !chain.isStopped; news = bestNews(chain)) {
    const { hash } = news.header
    if (!(await followHead(chain, news))) backOff(chain, hash)
  }
}

/** Brings subscribers to an announced head; false where it led nowhere, or not all the way. */
async function followHead(chain: SubscribedChain, news: News): Promise<boolean> {
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
