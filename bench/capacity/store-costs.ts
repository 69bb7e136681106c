import { ROWS_PER_STEP } from '../../src/courier/upkeep/pruner.ts'
import { pruneDelivered } from '../../src/tables/deliveries/retention.ts'
import { usageTotals } from '../../src/tables/usage/usage.ts'
import { startDeliverySender, startReceivers } from '../contenders.ts'
import { webhooksOn } from '../p9-deliveries.ts'
import { openFeed, PER_EVENT, TEAM } from './delivery-feed.ts'
import { databaseIn, openStore } from './open-store.ts'
import { type Cost, ownUs, serverCost } from './server-cost.ts'

type Store = Awaited<ReturnType<typeof openStore>>

const HOSTS = 20

const BACKLOG_MAX = 4000
const LOOK_EVERY_MS = 20

/** Events are committed by one follower, one after the other, and nobody sends. */
export async function creationCost(serverUrl: string, count: number): Promise<Cost> {
  const env = await databaseIn(serverUrl, 'created')
  await using store = await openStore(env)
  const feed = await openFeed(store, webhooksOn(['http://127.0.0.1:9/'], PER_EVENT, TEAM))
  await feed(count, async () => {})
  return await serverCost(env.HEADGATE_DATABASE, count, async () => {
    const before = ownUs()
    await feed(count, async () => {})
    return ownUs() - before
  })
}

/**
 * The process that follows only hints at what it has committed, and another one sends it. Then
 * retention removes all of it, row by row, as it does when the log is too large.
 */
export async function hintedCosts(
  serverUrl: string,
  count: number,
): Promise<{ sent: Cost; pruned: Cost }> {
  await using opened = new AsyncDisposableStack()
  const env = await databaseIn(serverUrl, 'hinted')
  const store = opened.use(await openStore(env))
  const receivers = opened.adopt(await startReceivers(HOSTS, 0), (one) => one.stop())
  const webhooks = webhooksOn(receivers.healthy, PER_EVENT, TEAM)
  const feed = await openFeed(store, webhooks)
  // The second of two parts of one network has no chain of its own: it only sends.
  const part = { networks: 1, eventsUnderWay: 1, env, at: 1, of: 2 }
  const order = { way: 'durable' as const, webhooks, part }
  const sender = opened.adopt(await startDeliverySender(order), (one) => one.stop())
  let fed = 0
  const run = async () => {
    const hasRoom = async () => {
      const { calls } = await usageTotals(store.database, TEAM, 0, Number.MAX_SAFE_INTEGER)
      return fed - calls < BACKLOG_MAX
    }
    const paced = async () => {
      while (!(await hasRoom())) await Bun.sleep(LOOK_EVERY_MS)
      fed += PER_EVENT
    }
    const [{ cpuUs }] = await Promise.all([sender.deliver(count), feed(count, paced)])
    return cpuUs
  }
  await run()
  const sent = await serverCost(env.HEADGATE_DATABASE, count, run)
  const pruned = await serverCost(env.HEADGATE_DATABASE, 2 * count, () => prune(store))
  return { sent, pruned }
}

async function prune({ database }: Store): Promise<number> {
  const before = ownUs()
  const limits = { olderThanMs: 0, bytesMax: 0, rowsMax: ROWS_PER_STEP }
  while ((await pruneDelivered(database, limits, 0)) > 0) {}
  return ownUs() - before
}

/** As in P16: one process follows four networks and sends what it has committed from memory. */
export async function togetherCost(serverUrl: string, count: number): Promise<Cost> {
  await using opened = new AsyncDisposableStack()
  const receivers = opened.adopt(await startReceivers(HOSTS, 0), (one) => one.stop())
  const webhooks = webhooksOn(receivers.healthy, PER_EVENT, TEAM)
  const env = await databaseIn(serverUrl, 'together')
  const part = { networks: 4, eventsUnderWay: 1, env, at: 0, of: 1 }
  const order = { way: 'durable' as const, webhooks, part }
  const sender = opened.adopt(await startDeliverySender(order), (one) => one.stop())
  await sender.deliver(count)
  return await serverCost(
    env.HEADGATE_DATABASE,
    count,
    async () => (await sender.deliver(count)).cpuUs,
  )
}
