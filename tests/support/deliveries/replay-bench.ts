import type { Webhook } from '../../../src/core/delivery/webhook.ts'
import {
  openReplayScheduler,
  type ReplayScheduler,
} from '../../../src/follower/replay/replay-scheduler.ts'
import type { Database } from '../../../src/ports/database.ts'
import { recordEvent } from '../../../src/tables/chain/chain-events.ts'
import { readChain } from '../../../src/tables/chain/chain-tail.ts'
import {
  findDeliveryWithAttempts,
  listDeliveryPage,
} from '../../../src/tables/deliveries/log/delivery-page.ts'
import { createReplay, findReplay, type Replay } from '../../../src/tables/webhooks/replays.ts'
import { freshStore } from '../../fresh-store.ts'
import { testWorld } from '../basics/test-world.ts'
import { type RawParts, rawBlock, rawLog } from '../blocks/raw-block.ts'
import { type BlockNetwork, openNetworkOf } from '../nodes/block-network.ts'
import {
  addWebhooks,
  eventAt,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from './webhook-store.ts'

export type ReplayBench = Awaited<ReturnType<typeof openReplayBench>>

export const WEBHOOK = 'wh_0123456789abcdef'

/** The number of the first event. */
export const FIRST = 1_000_000_000_001

const STEPS_MAX = 40_000
const STEP_MS = 50

/** Heights 991 to 1000, of which the even ones have a log. */
export function usualBlocks(fork = 'aa', from = 991, to = 1000): RawParts[] {
  return Array.from({ length: to - from + 1 }, (_, at) => {
    const number = from + at
    return rawBlock(number % 2 === 0 ? [{ logs: [rawLog(1)] }] : [], number, fork)
  })
}

/** A store and a network on which replays are worked on; time moves on command. */
export async function openReplayBench(blocks: readonly RawParts[] = usualBlocks()) {
  const store = await freshStore()
  const network: BlockNetwork = await openNetworkOf(blocks)
  const { clock } = network
  const opened: ReplayScheduler[] = []
  const reminded: string[] = []
  let made = 0
  await insertTeams(store)

  const until = async (holds: () => Promise<boolean>) => {
    for (let step = 0; step < STEPS_MAX; step++) {
      if (await holds()) return
      await clock.advance(STEP_MS)
    }
    throw new Error('it never came true')
  }
  const replayOf = async (id: string): Promise<Replay> => {
    const found = (await findReplay(store, TEAM_A, id)) ?? (await findReplay(store, TEAM_B, id))
    if (!found) throw new Error(`no replay ${id}`)
    return found
  }

  const disk = { hasRoom: true }
  return {
    store,
    network,
    clock,
    until,
    replayOf,
    /** Webhooks whose courier was told, each as often as it was. */
    reminded,
    disk,
    addWebhook: (differing: Partial<Webhook> = {}) =>
      addWebhooks(store, webhookCalled(differing.id ?? WEBHOOK, differing)),
    follow: (...followed: readonly RawParts[]) => follow(store, followed),
    /** The scheduler of one process. */
    open(database: Database = store, holder = 'process-1'): ReplayScheduler {
      const services = () => [network.network]
      const committed = (ids: readonly string[]) => void reminded.push(...ids)
      const hasRoom = () => disk.hasRoom
      const world = testWorld({ clock, database })
      const replays = openReplayScheduler(world, { services, committed, hasRoom, holder })
      opened.push(replays)
      return replays
    },
    async create(fromBlock: number, toBlock: number, webhookId = WEBHOOK, teamId = TEAM_A) {
      const id = `rpl_${String(++made).padStart(16, '0')}`
      const wanted = { id, teamId, webhookId, network: NETWORK, fromBlock, toBlock }
      const created = await createReplay(store, { ...wanted, createdAtMs: clock.nowMs() })
      if (!created) throw new Error('not created')
      return id
    },
    async ended(id: string): Promise<Replay> {
      await until(async () => (await replayOf(id)).state !== 'running')
      return replayOf(id)
    },
    deliveries: (webhookId = WEBHOOK) => deliveriesOf(store, webhookId),
    async close() {
      for (const one of opened) {
        let stopped = false
        const stopping = one.stop().then(() => {
          stopped = true
        })
        while (!stopped) await clock.advance(STEP_MS)
        await stopping
      }
      network.network.stop()
      await store.close()
    },
  }
}

/** Makes blocks events of the network; those at a height already passed are a fork. */
async function follow(store: Database, followed: readonly RawParts[]): Promise<void> {
  for (const { ref, block } of followed) {
    const chain = await readChain(store, NETWORK)
    const tip = chain?.headers.at(-1)
    const kind = !tip ? 'first' : ref.number === tip.number + 1 ? 'extends' : 'forks'
    const header = { ...ref, parentHash: block.parentHash }
    const previous = chain?.sequenceNumber ?? null
    const keepFrom = Math.min(ref.number, chain?.headers[0]?.number ?? ref.number)
    const event = eventAt(ref.number, previous, { header, kind, keepFrom })
    if ((await recordEvent(store, event)) === 'lost') throw new Error('an event was lost')
  }
}

/** In the order of their numbers, with their results read. */
async function deliveriesOf(store: Database, webhookId: string) {
  const page = await listDeliveryPage(store, TEAM_A, { webhookId, limit: 1000 })
  const whole = page.map(async (one) => {
    const found = await findDeliveryWithAttempts(store, TEAM_A, one.id)
    return { ...one, data: JSON.parse(found?.result?.data ?? 'null') }
  })
  const all = await Promise.all(whole)
  return all.toSorted((a, b) => (a.sequenceNumber ?? 0) - (b.sequenceNumber ?? 0))
}
