import { expect } from 'bun:test'
import type { Database } from '../../src/ports/database.ts'
import { pruneDelivered } from '../../src/tables/deliveries/retention.ts'
import { moveOldOpen } from '../../src/tables/deliveries/sheets/move-old-open.ts'
import { pauseTeamOverLimit } from '../../src/tables/usage/capacity-pause.ts'
import { changeWebhook } from '../../src/tables/webhooks/webhooks.ts'
import { freshStore } from '../fresh-store.ts'
import {
  addWebhooks,
  insertTeams,
  NETWORK,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from './webhook-store.ts'

export const OTHER_NETWORK = 'BASE_MAINNET'

/** Some look alike to who takes `_` and `%` for more than letters. */
export const HERE = ['wh_1', 'whx1', 'wh_%', 'wh_10', 'wh_b']
export const THERE = ['wh_2', 'wh_rare']

/** The webhooks of team A. */
export const OURS = ['wh_1', 'whx1', 'wh_%', 'wh_10', 'wh_2', 'wh_rare']

/** Two stores with the same history: with a row for each delivery, and with sheets. */
export type Twins = {
  rows: Database
  sheets: Database
  /** The answer of both, which has to be the same. */
  both<T>(ask: (db: Database) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export async function openTwins(): Promise<Twins> {
  const rows = await freshStore()
  const sheets = await freshStore()
  for (const db of [rows, sheets]) {
    await insertTeams(db)
    for (const id of [...HERE, ...THERE]) {
      const network = THERE.includes(id) ? OTHER_NETWORK : NETWORK
      const teamId = id === 'wh_b' ? TEAM_B : TEAM_A
      await addWebhooks(db, webhookCalled(id, { network, teamId, notifyRemoved: true }))
    }
  }
  return {
    rows,
    sheets,
    async both(ask) {
      const expected = await ask(rows)
      expect(await ask(sheets)).toEqual(expected)
      return expected
    },
    async close() {
      await rows.close()
      await sheets.close()
    },
  }
}

/** All of the team's webhooks are paused, told so, and active again. */
export async function pauseTwins({ rows, sheets }: Twins, nowMs: number): Promise<void> {
  const standing = { state: 'active', reason: null } as const
  for (const db of [rows, sheets]) {
    await pauseTeamOverLimit(db, { teamId: TEAM_A, message: 'used up', nowMs })
    for (const id of OURS) await changeWebhook(db, TEAM_A, id, { standing })
  }
}

export async function pruneTwins({ sheets, both }: Twins, olderThanMs: number): Promise<void> {
  // As the courier does, for an event goes only when nothing of it is open.
  await moveOldOpen(sheets, olderThanMs)
  const retention = { olderThanMs, bytesMax: Number.MAX_SAFE_INTEGER, rowsMax: 100_000 }
  await both((db) => pruneDelivered(db, retention))
}
