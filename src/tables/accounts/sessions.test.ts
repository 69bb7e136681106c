import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { testWorld } from '../../../tests/support/basics/test-world.ts'
import { type Database, sql } from '../../ports/database.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { systemEntropy } from '../../system/machine/system-entropy.ts'
import { createTeam, createToken } from './new-accounts.ts'
import { revokeToken, setOperatorToken } from './revoke-token.ts'
import {
  deleteSession,
  findSessionsByHash,
  insertSession,
  listSessions,
  noteUse,
  type Session,
} from './sessions.ts'

const NOW_MS = 1_790_000_000_000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

const world = testWorld({ entropy: systemEntropy(), clock: systemClock() })

let db: Database
let teamId: string
let token: { id: string; name: string; hash: string }

beforeEach(async () => {
  db = await freshStore()
  const made = await createTeam(db, world, { name: 'A', tier: 'free' })
  teamId = made.team.id
  const [row] = await db.query<{ hash: string }>(sql`SELECT hash FROM tokens`)
  token = { id: made.tokenId, name: 'first', hash: row?.hash ?? '' }
})
afterEach(() => db.close())

function signIn(id: string, differing: Partial<Session> = {}): Promise<Session> {
  const usual = { token, teamId, address: '::1', userAgent: '', createdAtMs: NOW_MS }
  return insertSession(db, { id, ...usual, ...differing }, `hash of ${id}`)
}

async function found(id: string, nowMs = NOW_MS): Promise<Session | undefined> {
  return (await findSessionsByHash(db, [`hash of ${id}`, 'no hash'], nowMs)).get(`hash of ${id}`)
}

test('a session is found by its hash, until it expires', async () => {
  const session = await signIn('ses_1')
  expect(session.expiresAtMs).toBe(NOW_MS + 7 * DAY_MS)
  expect(await found('ses_1')).toEqual(session)
  expect(await found('ses_1', session.expiresAtMs - 1)).toEqual(session)
  expect(await found('ses_1', session.expiresAtMs)).toBeUndefined()
  expect(await found('ses_2')).toBeUndefined()
  expect(await findSessionsByHash(db, [], NOW_MS)).toEqual(new Map())
})

describe('its use', () => {
  test('is noted once a minute, though many note it at once', async () => {
    const session = await signIn('ses_1')
    const atMs = NOW_MS + MINUTE_MS
    await Promise.all(Array.from({ length: 8 }, (_, at) => noteUse(db, session, atMs + at)))
    const noted = await found('ses_1')
    expect(noted?.usedAtMs).toBeOneOf(Array.from({ length: 8 }, (_, at) => atMs + at))
    await noteUse(db, session, atMs + MINUTE_MS - 1)
    expect(await found('ses_1')).toEqual(noted as Session)
  })

  test('keeps it for seven days more, and for thirty in all', async () => {
    const session = await signIn('ses_1')
    await noteUse(db, session, NOW_MS + DAY_MS)
    expect((await found('ses_1'))?.expiresAtMs).toBe(NOW_MS + 8 * DAY_MS)
    await noteUse(db, session, NOW_MS + 29 * DAY_MS)
    expect((await found('ses_1', NOW_MS + 29 * DAY_MS))?.expiresAtMs).toBe(NOW_MS + 30 * DAY_MS)
  })
})

describe('of a token', () => {
  test('that is revoked no session is left', async () => {
    await signIn('ses_1')
    await signIn('ses_2', { token: null })
    expect(await revokeToken(db, token.id, 'team_other')).toBe(false)
    expect(await listSessions(db, teamId, NOW_MS)).toHaveLength(2)
    expect(await revokeToken(db, token.id, teamId)).toBe(true)
    expect((await listSessions(db, teamId, NOW_MS)).map(({ id }) => id)).toEqual(['ses_2'])
    expect(await db.query(sql`SELECT id FROM sessions`)).toEqual([{ id: 'ses_2' }])
  })

  test('that was revoked while it signed in, a session counts for nothing', async () => {
    await revokeToken(db, token.id)
    await signIn('ses_1')
    expect(await found('ses_1')).toBeUndefined()
    expect(await listSessions(db, teamId, NOW_MS)).toEqual([])
  })

  test('of the operator that the configuration replaces, none is left either', async () => {
    const operator = { kind: 'operator', teamId: null, name: 'o' } as const
    const { id } = await createToken(db, world, operator)
    await signIn('ses_1', { token: { id, name: 'o', hash: '' }, teamId: null })
    await signIn('ses_2')
    await setOperatorToken(db, world, 'configured-token')
    expect(await db.query(sql`SELECT id FROM sessions`)).toEqual([{ id: 'ses_2' }])
  })

  test('fifty are kept, those signed in last, and others keep theirs', async () => {
    await signIn('ses_link', { token: null, createdAtMs: 1 + NOW_MS - DAY_MS })
    for (let at = 0; at < 52; at++) await signIn(`ses_${at}`, { createdAtMs: NOW_MS + at })
    const ids = (await listSessions(db, teamId, NOW_MS)).map(({ id }) => id)
    expect(ids).toEqual([...Array.from({ length: 50 }, (_, at) => `ses_${51 - at}`), 'ses_link'])
  })

  test('fifty are kept of those that sign in within one millisecond', async () => {
    for (let at = 0; at < 60; at++) await signIn(`ses_${at}`)
    expect(await listSessions(db, teamId, NOW_MS)).toHaveLength(50)
    expect(await found('ses_59')).toBeDefined()
  })
})

test('a session is ended by its own team, or by the operator’s side where it has none', async () => {
  await signIn('ses_1')
  await signIn('ses_2', { teamId: null })
  expect(await deleteSession(db, 'team_other', 'ses_1')).toBe(false)
  expect(await deleteSession(db, null, 'ses_1')).toBe(false)
  expect(await deleteSession(db, teamId, 'ses_2')).toBe(false)
  expect(await deleteSession(db, teamId, 'ses_1')).toBe(true)
  expect(await deleteSession(db, null, 'ses_2')).toBe(true)
  expect(await deleteSession(db, null, 'ses_2')).toBe(false)
})
