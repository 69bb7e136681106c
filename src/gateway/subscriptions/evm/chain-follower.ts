import { openBackoff } from '../../../core/async/backoff.ts'
import { openWakeableSleep, type WakeableSleep } from '../../../core/async/wakeable-sleep.ts'
import { errorText } from '../../../core/errors.ts'
import type { World } from '../../../ports/world.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import { backOff, bestNews } from '../../../upstream/follow/best-news.ts'
import { openHeldBlocks } from './followed-block.ts'
import { type ChainListener, followHead, type SubscribedChain } from './subscribed-chain.ts'

export type ChainFollower = { stop(): void }

/** Heads are checked this often without news, for what time alone changes: votes. */
const CHECK_EVERY_MS = 1000
const FAILURE_BACKOFF = { minMs: 100, maxMs: 5000 }

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
