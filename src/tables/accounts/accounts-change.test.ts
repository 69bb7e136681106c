import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Database } from '../../ports/database.ts'
import { readRevision } from '../sql/revisions.ts'
import { changeAccounts, unlessNamed } from './accounts-change.ts'
import { insertTeam, listTeams } from './teams.ts'

const TEAM = { id: 'team_a', name: 'A', tier: 'free', autoscaling: false, createdAtMs: 1 }

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

test('the revision is 0 before anything changed', async () => {
  expect(await readRevision(db, 'accounts')).toBe(0)
})

test('every change moves the revision by one and gives back what the work returned', async () => {
  const answer = await changeAccounts(db, async (tx) => {
    await insertTeam(tx, TEAM)
    return 'made'
  })
  expect(answer).toBe('made')
  expect(await readRevision(db, 'accounts')).toBe(1)

  const changes = Array.from({ length: 20 }, () => changeAccounts(db, async () => null))
  await Promise.all(changes)
  expect(await readRevision(db, 'accounts')).toBe(21)
})

test('a change that fails moves nothing', async () => {
  const doomed = changeAccounts(db, async (tx) => {
    await insertTeam(tx, TEAM)
    throw new Error('no')
  })
  await expect(doomed).rejects.toThrow('no')
  expect(await readRevision(db, 'accounts')).toBe(0)
  expect(await listTeams(db)).toEqual([])
})

test('of many that make something of one name at the same time, one does, the others find it', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 5 }, (_, at) =>
      unlessNamed(
        db,
        (tx) => listTeams(tx, TEAM.name),
        (tx) => insertTeam(tx, { ...TEAM, id: `team_${at}` }),
      ),
    ),
  )
  const [team, ...others] = await listTeams(db)
  expect(others).toEqual([])
  expect(outcomes.filter((one) => 'made' in one)).toHaveLength(1)
  const found = outcomes.flatMap((one) => ('named' in one ? one.named : []))
  expect(found).toEqual(Array.from({ length: 4 }, () => team!))
})
