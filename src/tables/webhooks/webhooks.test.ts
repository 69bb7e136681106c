import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { deliveriesOf } from '../../../tests/support/deliveries/delivery-store.ts'
import {
  addWebhooks,
  dueTo,
  eventAt,
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
  webhookCalled,
} from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { recordEvent } from '../chain/chain-events.ts'
import { readRevision } from '../sql/revisions.ts'
import { type GoneWebhook, pauseGoneWebhook } from './pause-webhooks.ts'
import { addItems } from './variables.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  webhooksChangedSince,
} from './webhooks.ts'

const KEY = { sealed: 'sealed', previousSealed: null, previousUntilMs: null }

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
})
afterEach(() => db.close())

const changedSince = (revision: number, pageRows = 10) =>
  Array.fromAsync(webhooksChangedSince(db, revision, pageRows))

describe('a webhook whose destination is gone', () => {
  const gone = { teamId: TEAM_A, id: 'wh_1', url: 'https://gone.example/hook' }
  const pause = (one: GoneWebhook) => db.transaction((tx) => pauseGoneWebhook(tx, one))
  const standing = async () => {
    const { state, reason } = (await findWebhook(db, TEAM_A, 'wh_1'))?.webhook ?? {}
    return [state, reason]
  }

  test('is paused with that reason', async () => {
    await addWebhooks(db, webhookCalled('wh_1', { url: gone.url }))
    await pause(gone)
    expect(await standing()).toEqual(['paused', 'DESTINATION_GONE'])
    expect(await changedSince(1)).toMatchObject([{ id: 'wh_1' }])
  })

  test('stays as it is when it leads elsewhere by then or was paused', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    await pause(gone)
    expect(await standing()).toEqual(['active', null])
    const paused = { state: 'paused', reason: 'MANUAL' } as const
    await changeWebhook(db, TEAM_A, 'wh_1', { url: gone.url, standing: paused })
    await pause(gone)
    await pause({ ...gone, teamId: TEAM_B })
    expect(await standing()).toEqual(['paused', 'MANUAL'])
    expect(await readRevision(db, 'webhooks')).toBe(2)
  })
})

describe('a webhook', () => {
  test('is found and listed as it was made, oldest first, by its team alone', async () => {
    const differing = { appId: 'app_1', skipEmpty: true, ordered: true, notifyRemoved: true }
    const young = webhookCalled('wh_1', { ...differing, createdAtMs: 9 })
    const old = webhookCalled('wh_2', { state: 'paused', reason: 'MANUAL', createdAtMs: 8 })
    await addWebhooks(db, young, old, webhookCalled('wh_3', { teamId: TEAM_B }))

    expect(await findWebhook(db, TEAM_A, 'wh_1')).toEqual({
      number: 1,
      webhook: young,
      key: KEY,
      nextKeySealed: null,
    })
    expect(await findWebhook(db, TEAM_B, 'wh_1')).toBeNull()
    expect(await findWebhook(db, TEAM_A, 'wh_none')).toBeNull()
    expect(await listWebhooks(db, TEAM_A)).toEqual([
      { number: 2, webhook: old, key: KEY, nextKeySealed: null },
      { number: 1, webhook: young, key: KEY, nextKeySealed: null },
    ])
  })

  test.each(HOSTILE_TEXTS)('keeps every character of its texts: %j', async (text) => {
    const webhook = webhookCalled(text, { name: text, url: text, query: text, appId: text })
    await addWebhooks(db, webhook)
    const stored = { number: 1, webhook, key: KEY, nextKeySealed: null }
    expect(await findWebhook(db, TEAM_A, text)).toEqual(stored)
    expect((await changedSince(0))[0]).toMatchObject({ id: text, query: text })
  })
})

describe('the slots of a team', () => {
  test('120 creators at once for 100 slots: exactly 100 get one', async () => {
    const create = (_: unknown, index: number) =>
      createWebhook(db, webhookCalled(`wh_${index}`), 'sealed', 100)
    const made = await Promise.all(Array.from({ length: 120 }, create))
    expect(made.filter(({ kind }) => kind === 'written')).toHaveLength(100)
    expect(await listWebhooks(db, TEAM_A)).toHaveLength(100)
  })

  test('deleting frees one slot, once, and another team has its own', async () => {
    const create = async (id: string, teamId = TEAM_A) => {
      const made = await createWebhook(db, webhookCalled(id, { teamId }), 'sealed', 2)
      return made.kind === 'written'
    }
    expect([await create('wh_1'), await create('wh_2'), await create('wh_3')]).toEqual([
      true,
      true,
      false,
    ])
    expect(await create('wh_4', TEAM_B)).toBe(true)

    expect(await deleteWebhook(db, TEAM_B, 'wh_1')).toBe(false)
    expect(await deleteWebhook(db, TEAM_A, 'wh_1')).toBe(true)
    expect(await deleteWebhook(db, TEAM_A, 'wh_1')).toBe(false)
    expect(await create('wh_5')).toBe(true)
    expect(await create('wh_6')).toBe(false)
  })

  test('a webhook that could not be stored takes no slot', async () => {
    await createWebhook(db, webhookCalled('wh_1'), 'sealed', 2)
    await expect(createWebhook(db, webhookCalled('wh_1'), 'sealed', 2)).rejects.toThrow()
    const second = await createWebhook(db, webhookCalled('wh_2'), 'sealed', 2)
    expect(second.kind).toBe('written')
  })
})

describe('a change touches only what it names', () => {
  test.each([
    ['the name', { name: 'New' }],
    ['the destination', { url: 'https://other.example' }],
    ['the query', { query: '{ block { hash } }', skipEmpty: true }],
    ['the order', { ordered: true }],
    ['news of removals', { notifyRemoved: true }],
    ['nothing', {}],
  ])('%s', async (_, change) => {
    const webhook = webhookCalled('wh_1')
    await addWebhooks(db, webhook, webhookCalled('wh_2'))
    const now = { ...webhook, ...change }
    const stored = { number: 1, webhook: now, key: KEY, nextKeySealed: null }
    const written = await changeWebhook(db, TEAM_A, 'wh_1', change)
    expect(written).toEqual({ kind: 'written', stored })
    expect(await findWebhook(db, TEAM_A, 'wh_1')).toEqual(stored)
    expect((await findWebhook(db, TEAM_A, 'wh_2'))?.webhook).toEqual(webhookCalled('wh_2'))
  })

  test('whether it is active', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    const paused = { state: 'paused', reason: 'DESTINATION_GONE' } as const
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: paused })
    expect((await findWebhook(db, TEAM_A, 'wh_1'))?.webhook).toMatchObject(paused)

    const active = { state: 'active', reason: null } as const
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: active })
    expect((await findWebhook(db, TEAM_A, 'wh_1'))?.webhook).toMatchObject(active)
  })

  test('the signing key', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    const newKey = { sealed: 'new', previousUntilMs: 5 }
    await changeWebhook(db, TEAM_A, 'wh_1', { newKey })
    await changeWebhook(db, TEAM_A, 'wh_1', { name: 'New' })
    const key = { ...newKey, previousSealed: 'sealed' }
    expect((await findWebhook(db, TEAM_A, 'wh_1'))?.key).toEqual(key)
  })

  test('the signing key, twice at once: neither of the new keys is lost', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    const newKeys = ['a', 'b'].map((sealed) => ({ sealed, previousUntilMs: 5 }))
    await Promise.all(newKeys.map((newKey) => changeWebhook(db, TEAM_A, 'wh_1', { newKey })))
    const key = (await findWebhook(db, TEAM_A, 'wh_1'))?.key
    expect([key?.sealed, key?.previousSealed].sort()).toEqual(['a', 'b'])
  })

  test('the signing key that was prepared, which stays the same however often it is asked for', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    await changeWebhook(db, TEAM_A, 'wh_1', { nextKeySealed: 'next' })
    await changeWebhook(db, TEAM_A, 'wh_1', { nextKeySealed: 'another' })
    await changeWebhook(db, TEAM_A, 'wh_1', { name: 'New' })
    const prepared = { key: KEY, nextKeySealed: 'next' }
    expect(await findWebhook(db, TEAM_A, 'wh_1')).toMatchObject(prepared)

    const newKey = { sealed: 'new', previousUntilMs: 5 }
    await changeWebhook(db, TEAM_A, 'wh_1', { newKey })
    const key = { sealed: 'next', previousSealed: 'sealed', previousUntilMs: 5 }
    expect(await findWebhook(db, TEAM_A, 'wh_1')).toMatchObject({ key, nextKeySealed: null })
  })

  test('nobody changes the webhook of another team, or one that is gone', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    const none = { kind: 'no_webhook' } as const
    expect(await changeWebhook(db, TEAM_B, 'wh_1', { name: 'Mine' })).toEqual(none)
    await deleteWebhook(db, TEAM_A, 'wh_2')
    expect(await changeWebhook(db, TEAM_A, 'wh_2', { name: 'Alive' })).toEqual(none)
  })

  test('changes at once of different things are all kept', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    await Promise.all([
      changeWebhook(db, TEAM_A, 'wh_1', { name: 'New' }),
      changeWebhook(db, TEAM_A, 'wh_1', { ordered: true }),
      changeWebhook(db, TEAM_A, 'wh_1', { url: 'https://other.example' }),
    ])
    expect((await findWebhook(db, TEAM_A, 'wh_1'))?.webhook).toMatchObject({
      name: 'New',
      ordered: true,
      url: 'https://other.example',
    })
  })
})

describe('a deleted webhook', () => {
  test('is neither found nor listed, and what waits for it is cancelled', async () => {
    await addWebhooks(db, webhookCalled('wh_1'), webhookCalled('wh_2'))
    await recordEvent(db, eventAt(7, null, { due: [dueTo('wh_1', 'wh_2')] }))
    await deleteWebhook(db, TEAM_A, 'wh_1')

    expect(await findWebhook(db, TEAM_A, 'wh_1')).toBeNull()
    expect((await listWebhooks(db, TEAM_A)).map(({ webhook }) => webhook.id)).toEqual(['wh_2'])
    const states = async (id: string) => (await deliveriesOf(db, id, 9)).map((one) => one.state)
    expect(await states('wh_1')).toEqual(['cancelled'])
    expect(await states('wh_2')).toEqual(['waiting'])
  })
})

describe('what changed since a revision', () => {
  test('is every webhook that did, as it is now, those that are gone included', async () => {
    expect(await readRevision(db, 'webhooks')).toBe(0)
    await addWebhooks(db, ...['wh_1', 'wh_2', 'wh_3'].map((id) => webhookCalled(id)))
    const known = await readRevision(db, 'webhooks')
    expect(await changedSince(known)).toEqual([])

    const paused = { state: 'paused', reason: 'MANUAL' } as const
    await deleteWebhook(db, TEAM_A, 'wh_3')
    await changeWebhook(db, TEAM_A, 'wh_1', { standing: paused, query: '{ block { hash } }' })
    const changed = await changedSince(known)
    expect(changed.map(({ id, state }) => [id, state])).toEqual([
      ['wh_3', 'deleted'],
      ['wh_1', 'paused'],
    ])
    expect(changed[1]).toEqual({
      number: 1,
      id: 'wh_1',
      teamId: TEAM_A,
      network: 'ETH_MAINNET',
      query: '{ block { hash } }',
      skipEmpty: false,
      notifyRemoved: false,
      state: 'paused',
      revision: await readRevision(db, 'webhooks'),
    })
  })

  test('comes in pages that neither skip nor repeat', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `wh_${index}`)
    await addWebhooks(db, ...ids.map((id) => webhookCalled(id)))

    expect((await changedSince(0, 4)).map(({ id }) => id)).toEqual(ids)
  })

  test('has one counter with variables', async () => {
    await addWebhooks(db, webhookCalled('wh_1'))
    await addItems(db, { teamId: TEAM_A, name: 'v', kind: 'Address', items: ['0x1'] })
    expect(await readRevision(db, 'webhooks')).toBe(2)
  })
})
