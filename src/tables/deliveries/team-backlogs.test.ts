import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshPostgres, freshStore } from '../../../tests/fresh-store.ts'
import { fenceOf } from '../../../tests/support/deliveries/delivery-store.ts'
import { insertTeams, TEAM_A } from '../../../tests/support/deliveries/webhook-store.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import type { Database } from '../../ports/database.ts'
import { growLog, logBytes } from '../usage/log-bytes.ts'
import { partOfCourier } from './shards.ts'
import {
  allBacklogBytes,
  backlogOf,
  growBacklog,
  growBacklogs,
  setDraining,
} from './team-backlogs.ts'

const NETWORKS = ['ETH_MAINNET', 'BASE_MAINNET']

const grow = (tx: Database, part: string, bytes: number) =>
  growBacklogs(tx, part, new Map([[TEAM_A, bytes]]))

describe('the backlog of a team', () => {
  let db: Database
  beforeEach(async () => {
    db = await freshStore()
    await insertTeams(db)
  })
  afterEach(() => db.close())

  test('is the sum of what networks, couriers and others have counted', async () => {
    for (const network of NETWORKS) await grow(db, network, 300)
    await grow(db, partOfCourier(await fenceOf(db)), -400)
    await growBacklog(db, TEAM_A, 5)
    expect(await backlogOf(db, TEAM_A, new Map())).toMatchObject({ bytes: 205, draining: false })
    expect(await allBacklogBytes(db)).toBe(205)
  })

  test('drains as a whole, until it is said not to', async () => {
    for (const network of NETWORKS) await grow(db, network, 300)
    await setDraining(db, TEAM_A, true)
    await grow(db, 'OPT_MAINNET', 1)
    expect(await backlogOf(db, TEAM_A, new Map())).toMatchObject({ bytes: 601, draining: true })
    await setDraining(db, TEAM_A, false)
    expect(await backlogOf(db, TEAM_A, new Map())).toMatchObject({ bytes: 601, draining: false })
  })
})

describe.skipIf(lacksPostgres())('an event that is not committed yet', () => {
  test('holds up neither another network nor a courier', async () => {
    await using db = Object.assign(await freshPostgres(), {
      [Symbol.asyncDispose]: (): Promise<void> => db.close(),
    })
    await insertTeams(db)
    const courier = partOfCourier(await fenceOf(db))
    for (const part of [...NETWORKS, courier]) await grow(db, part, 100)
    await db.transaction(async (tx) => {
      await grow(tx, NETWORKS[0]!, 1)
      await growLog(tx, NETWORKS[0]!, 1)
      for (const part of [NETWORKS[1]!, courier]) {
        await db.transaction(async (other) => {
          await grow(other, part, 10)
          await growLog(other, part, 10)
        })
      }
    })
    expect(await backlogOf(db, TEAM_A, new Map())).toMatchObject({ bytes: 321 })
    expect(await logBytes(db)).toBe(21)
  })
})
