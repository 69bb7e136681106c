import { afterEach, beforeEach, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import type { Team } from '../../core/billing/plan.ts'
import type { Database } from '../../ports/database.ts'
import { changeTeam, findTeam, insertTeam, listTeams } from './teams.ts'

const TEAM: Team = {
  id: 'team_a',
  name: 'Ünïcode & Söhne',
  tier: 'free',
  autoscaling: false,
  createdAtMs: 1_790_000_000_000,
}

let db: Database
beforeEach(async () => {
  db = await freshStore()
})
afterEach(() => db.close())

test('a team is found as it was made', async () => {
  await insertTeam(db, TEAM)
  expect(await findTeam(db, TEAM.id)).toEqual(TEAM)
})

test('a team that does not exist is not found and cannot be changed', async () => {
  expect(await findTeam(db, 'team_none')).toBeNull()
  expect(await changeTeam(db, 'team_none', { tier: 'growth' })).toBeNull()
})

test('teams are listed in the order in which they were made', async () => {
  const younger = { ...TEAM, id: 'team_0', createdAtMs: TEAM.createdAtMs + 1 }
  await insertTeam(db, younger)
  await insertTeam(db, TEAM)
  expect(await listTeams(db)).toEqual([TEAM, younger])
})

test('a change touches only what it names, and only that team', async () => {
  const other = { ...TEAM, id: 'team_b' }
  await insertTeam(db, TEAM)
  await insertTeam(db, other)

  expect(await changeTeam(db, TEAM.id, { autoscaling: true })).toEqual({
    ...TEAM,
    autoscaling: true,
  })
  expect(await changeTeam(db, TEAM.id, { tier: 'growth' })).toEqual({
    ...TEAM,
    autoscaling: true,
    tier: 'growth',
  })
  expect(await changeTeam(db, TEAM.id, { autoscaling: false })).toEqual({ ...TEAM, tier: 'growth' })
  expect(await changeTeam(db, TEAM.id, {})).toEqual({ ...TEAM, tier: 'growth' })
  expect(await findTeam(db, other.id)).toEqual(other)
})

test('an id is given once', async () => {
  await insertTeam(db, TEAM)
  await expect(insertTeam(db, TEAM)).rejects.toThrow()
})
