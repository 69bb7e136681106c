import { startPostgresServer } from '../tests/support/postgres/postgres-server.ts'
import { compare, type Effort, type Result, ratioOf, type Sample, target } from './compare.ts'
import { type DeliverySender, startDeliverySender, startReceivers } from './contenders.ts'
import type { StandPart, StandWebhook } from './delivery-stand.ts'
import { sampleOf, webhooksOn } from './p9-deliveries.ts'

const HOSTS = 20
const WEBHOOKS = 100
const DELIVERIES = 20_000
const DELIVERIES_TINY = 400

/** Not counted: the runtime and the server's caches get to know the work. */
const WARM_UP = 3

const TEAM = 'team_bench'
const SECRET = '5e'.repeat(32)

/** As an operator would set it; unlike in tests, nothing counts before the disk has it. */
const SERVER = ['fsync=on', 'shared_buffers=256MB', 'max_wal_size=4GB']

/** Blocks of four networks come side by side, with one event of each on its way to the store. */
const FEED = { networks: 4, eventsUnderWay: 1 }

/** P16: durable deliveries on PostgreSQL, by one process and by two, against one machine. */
export async function clusterDeliveries(effort: Effort): Promise<Result> {
  await using opened = new AsyncDisposableStack()
  const server = opened.adopt(await startPostgresServer(SERVER), (one) => one.close())
  const receivers = opened.adopt(await startReceivers(HOSTS, 0), (one) => one.stop())
  const webhooks = webhooksOn(receivers.healthy, WEBHOOKS, TEAM)
  const count = effort.rounds > 1 ? DELIVERIES : DELIVERIES_TINY
  const start = async (env: Record<string, string>, of: number) => {
    const all: DeliverySender[] = []
    for (let at = 0; at < of; at++) {
      const part = { ...FEED, env, at, of }
      all.push(opened.adopt(await startSender(webhooks, part), (one) => one.stop()))
    }
    return all
  }
  const contenders = [
    { name: 'one machine, SQLite', all: await start({}, 1) },
    { name: 'PostgreSQL, one process', all: await start(await storeIn(server.url, 'one'), 1) },
    { name: 'PostgreSQL, two processes', all: await start(await storeIn(server.url, 'two'), 2) },
  ]
  for (const { all } of contenders) await measure(all, count * WARM_UP)
  const rows = await compare(
    effort,
    contenders.map(({ name, all }) => ({ name, measure: () => measure(all, count) })),
  )
  const [embedded, one, two] = rows
  const cpu = (one?.cpuUsPerCall ?? 0) / (embedded?.cpuUsPerCall ?? 1)
  return {
    scenario: 'P16',
    title: `deliveries of 2 KB on PostgreSQL, ${WEBHOOKS} webhooks on ${HOSTS} hosts`,
    rows,
    targets: [
      target('one process against one machine', ratioOf(one, embedded), { atLeast: 0.6 }),
      target('two processes against one', ratioOf(two, one), { atLeast: 1.5 }),
      target('CPU of our process a delivery', cpu, { atMost: 1.3 }),
    ],
    notes: [
      'Every process follows and sends: what it commits for webhooks of its own shards goes out from',
      'memory, and what it commits for those of the other is read by that one when it is hinted at.',
      'CPU is that of our processes; the server and the receivers have their part of the same cores.',
    ],
  }
}

function startSender(webhooks: readonly StandWebhook[], part: StandPart): Promise<DeliverySender> {
  return startDeliverySender({ way: 'durable', webhooks, part })
}

/** An empty database, as the variables that lead to it. */
async function storeIn(serverUrl: string, name: string): Promise<Record<string, string>> {
  const client = new Bun.SQL(`${serverUrl}/postgres`, { max: 1 })
  await client.unsafe(`CREATE DATABASE ${name}`)
  await client.close()
  return { HEADGATE_DATABASE: `${serverUrl}/${name}`, HEADGATE_SECRET: SECRET }
}

/** All of them together; it is over when the last of them has seen all delivered. */
async function measure(all: readonly DeliverySender[], count: number): Promise<Sample> {
  const reports = await Promise.all(all.map((one) => one.deliver(count)))
  const seconds = Math.max(...reports.map((one) => one.seconds))
  return sampleOf(
    count,
    seconds,
    reports.reduce((sum, one) => sum + one.cpuUs, 0),
  )
}
