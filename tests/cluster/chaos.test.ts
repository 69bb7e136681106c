import { afterEach, describe, expect, test } from 'bun:test'
import { Failure } from '../../src/core/errors.ts'
import { type Sql, sql } from '../../src/ports/database.ts'
import { seededChance } from '../support/basics/seeded-chance.ts'
import { until } from '../support/basics/until.ts'
import {
  type Events,
  expectedOf,
  judgeEvents,
  judgeLedger,
  judgeReceivers,
  judgeStore,
} from '../support/cluster/chaos-judge.ts'
import { type ChaosRecord, openChaos } from '../support/cluster/chaos-schedule.ts'
import { type ChaosStage, mineOn, openChaosStage } from '../support/cluster/chaos-stage.ts'
import { type ClusterDatabase, openClusterDatabase } from '../support/cluster/cluster-database.ts'
import { type RpcLoad, startRpcLoad } from '../support/cluster/rpc-load.ts'
import { isNatsMissing } from '../support/nats/nats-server.ts'
import { cleanUp } from '../support/product/headgate-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

/** The whole promise is 20,000 deliveries, which takes many minutes. */
const DELIVERIES = Number(process.env.HEADGATE_CHAOS_DELIVERIES ?? 200)
const SEED = Number(process.env.HEADGATE_CHAOS_SEED ?? 1)
const IS_LARGE = DELIVERIES > 5000
const WEBHOOKS = IS_LARGE ? 100 : 24
const HOSTS = IS_LARGE ? 20 : 4
const BLOCK_EVERY_MS = IS_LARGE ? 600 : 500

/** Leases lapse within it, and hosts that were left alone get their chance. */
const PATIENCE_MS = 60_000

let stage: ChaosStage | null = null
let database: ClusterDatabase | null = null

afterEach(async () => {
  await cleanUp()
  await database?.close()
  await stage?.close()
})

describe.skipIf(lacksPostgres()).each([
  ['PostgreSQL', false],
  ['NATS', true],
] as const)('with signals over %s', (_wire, withNats) => {
  test.skipIf(withNats && isNatsMissing)(
    `whatever is killed, put to sleep or cut off, none of ${DELIVERIES} deliveries is lost or counts twice`,
    async () => {
      const options = { seed: SEED, webhooks: WEBHOOKS, hosts: HOSTS, withNats }
      stage = await openChaosStage(options)
      database = openClusterDatabase(stage.databaseUrl)
      const { cluster } = stage
      // From its first block on the chain is followed without a gap, so that has to come first.
      await untilFollowed(stage, database)
      const chaos = openChaos(stage, seededChance(SEED))
      const gateways = cluster.members.filter(({ roles }) => roles.includes('gateway'))
      const load = startRpcLoad(gateways, cluster.keys().app_key, chaos.record)
      let isMined = false
      const isEnough = () => hasEnough(database)
      const miner = seededChance(SEED + 1)
      const mined = mineOn(stage, miner, BLOCK_EVERY_MS, isEnough).then(() => {
        isMined = true
      })
      await chaos.strikeUntil(() => isMined)
      await mined
      await untilFollowed(stage, database)
      await untilSettled(database)
      await load.stop()
      const codes = await Promise.all(cluster.members.map((member) => member.stop()))
      expect(codes).toEqual(codes.map(() => 0))

      const eventsOf = new Map<string, Events>()
      for (const network of stage.networks) {
        eventsOf.set(network.id, await judgeEvents(database, network))
      }
      const expected = expectedOf(stage, eventsOf)
      console.log(summaryOf(stage, chaos.record, load))
      judgeReceivers(stage, expected)
      await judgeStore(database, new Set(expected.keys()))
      await judgeLedger(database, stage, load)
      expect(expected.size).toBeGreaterThanOrEqual(DELIVERIES)
    },
    60 * 60_000,
  )
})

/** Blocks that are replaced while nobody follows bring nothing, so the store is asked. */
async function hasEnough(db: ClusterDatabase | null): Promise<boolean> {
  const count = sql`SELECT CAST(COUNT(*) AS BIGINT) AS made FROM deliveries`
  const row = db && (await rowOf<{ made: number }>(db, count))
  return (row?.made ?? 0) >= DELIVERIES
}

/** Undefined while the database is unavailable, as it may still be after the last failure. */
async function rowOf<Row>(db: ClusterDatabase, statement: Sql): Promise<Row | undefined> {
  try {
    const [row] = await db.query<Row>(statement)
    return row
  } catch (error) {
    if (error instanceof Failure && error.code === 'database_unavailable') return undefined
    throw error
  }
}

async function untilFollowed({ networks }: ChaosStage, db: ClusterDatabase): Promise<void> {
  for (const { id, node } of networks) {
    const tip = sql`SELECT tip_hash FROM chains WHERE network = ${id}`
    const isFollowed = async () =>
      (await rowOf<{ tip_hash: string }>(db, tip))?.tip_hash === node.head.hash
    await until(isFollowed, `${id} is followed to its head`, PATIENCE_MS)
  }
}

/** Waits as long as it moves. */
async function untilSettled(db: ClusterDatabase): Promise<void> {
  const waiting = sql`SELECT CAST(COUNT(*) AS BIGINT) AS left FROM outbox`
  let before = Number.POSITIVE_INFINITY
  for (let movedAt = Date.now(); ; await Bun.sleep(200)) {
    const row = await rowOf<{ left: number }>(db, waiting)
    const left = row?.left ?? before
    if (left === 0) return
    if (left < before) movedAt = Date.now()
    before = left
    if (Date.now() - movedAt > PATIENCE_MS) throw new Error(`${left} deliveries wait for ever`)
  }
}

function summaryOf({ receivers, networks }: ChaosStage, record: ChaosRecord, load: RpcLoad) {
  const { attempts, failures, accepted, arrived } = receivers
  const repeats = [...arrived.values()].filter((one) => one.accepted > 1).length
  const blocks = networks.map(({ node }) => node.blocks.length).join(' + ')
  const blows = [...record.counts].map(([name, count]) => `${name} ${count}`).join(', ')
  return (
    `${accepted.size} deliveries, ${attempts} attempts, ${failures} failed, ${repeats} repeated; ` +
    `${blocks} blocks; ${load.answered} of ${load.sent} calls answered; ${blows}`
  )
}
