import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import {
  HOSTILE_TEXTS,
  insertTeams,
  TEAM_A,
  TEAM_B,
} from '../../../tests/support/deliveries/webhook-store.ts'
import { type Database, sql } from '../../ports/database.ts'
import { forgetGoneItems } from './variable-changes.ts'
import {
  addItems,
  deleteVariable,
  findVariable,
  listItems,
  removeItems,
  TEAM_VARIABLES_MAX,
} from './variables.ts'

const ALL = 100_000

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
})
afterEach(() => db.close())

function add(name: string, items: readonly string[], teamId = TEAM_A) {
  return addItems(db, { teamId, name, kind: 'Address', items })
}

async function itemsOf(name: string, teamId = TEAM_A): Promise<string[] | undefined> {
  return (await listItems(db, teamId, name, ALL))?.items
}

function addresses(count: number, from = 0): string[] {
  return Array.from({ length: count }, (_, at) => `0x${(from + at).toString(16).padStart(40, '0')}`)
}

describe('adding', () => {
  test('the first items make the variable', async () => {
    expect(await findVariable(db, TEAM_A, 'wallets')).toBeNull()
    expect(await add('wallets', ['0xb', '0xa'])).toEqual({ kind: 'added', added: 2 })
    expect(await findVariable(db, TEAM_A, 'wallets')).toEqual({
      id: 1,
      teamId: TEAM_A,
      name: 'wallets',
      kind: 'Address',
      itemCount: 2,
      removedCount: 0,
      revision: 1,
    })
    expect(await itemsOf('wallets')).toEqual(['0xa', '0xb'])
  })

  test('a variable may be made empty and filled later', async () => {
    expect(await add('wallets', [])).toEqual({ kind: 'added', added: 0 })
    expect(await listItems(db, TEAM_A, 'wallets', ALL)).toEqual({ items: [], totalCount: 0 })
  })

  test('an item added twice counts once, within a call and over calls', async () => {
    expect(await add('wallets', ['0xa', '0xa', '0xb'])).toEqual({ kind: 'added', added: 2 })
    expect(await add('wallets', ['0xb', '0xc'])).toEqual({ kind: 'added', added: 1 })
    expect((await findVariable(db, TEAM_A, 'wallets'))?.itemCount).toBe(3)
  })

  test('the name is the team’s own', async () => {
    await add('wallets', ['0xa'])
    await add('wallets', ['0xb'], TEAM_B)
    expect(await itemsOf('wallets')).toEqual(['0xa'])
    expect(await itemsOf('wallets', TEAM_B)).toEqual(['0xb'])
  })

  test('items of another kind are refused, and nothing is added', async () => {
    await add('wallets', ['0xa'])
    const other = { teamId: TEAM_A, name: 'wallets', kind: 'Bytes32', items: ['0xb'] } as const
    expect(await addItems(db, other)).toMatchObject({
      kind: 'kind_differs',
      variable: { kind: 'Address' },
    })
    expect(await itemsOf('wallets')).toEqual(['0xa'])
  })

  test('items beyond the limit are refused as a whole, what is there already is not counted', async () => {
    const addUpTo = (itemsMax: number, items: string[]) =>
      addItems(
        db,
        { teamId: TEAM_A, name: 'wallets', kind: 'Address', items },
        { ofVariable: itemsMax },
      )
    expect(await addUpTo(3, ['0xa', '0xb', '0xc', '0xd'])).toEqual({
      kind: 'too_many_items',
      of: 'ofVariable',
    })
    expect(await findVariable(db, TEAM_A, 'wallets')).toBeNull()

    await addUpTo(3, ['0xa', '0xb'])
    expect(await addUpTo(3, ['0xc', '0xd'])).toEqual({
      kind: 'too_many_items',
      of: 'ofVariable',
    })
    expect(await itemsOf('wallets')).toEqual(['0xa', '0xb'])
    expect(await addUpTo(3, ['0xa', '0xb', '0xc'])).toEqual({ kind: 'added', added: 1 })
  })

  test('removed items do not make room for others without end, until the variable is deleted', async () => {
    const addAll = (items: string[]) =>
      addItems(db, { teamId: TEAM_A, name: 'wallets', kind: 'Address', items }, { removed: 5 })
    await addAll(addresses(5))
    await removeItems(db, TEAM_A, 'wallets', addresses(5))
    await addAll(addresses(3, 5))
    await removeItems(db, TEAM_A, 'wallets', addresses(3, 5))
    const refused = { kind: 'too_many_items', of: 'removed' } as const
    expect(await addAll(addresses(1, 90))).toEqual(refused)
    // What was removed and comes back takes no more room than before.
    expect(await addAll(addresses(4, 4))).toEqual({ kind: 'added', added: 4 })
    expect(await findVariable(db, TEAM_A, 'wallets')).toMatchObject({ removedCount: 4 })
    expect(await addAll(addresses(1, 90))).toEqual({ kind: 'added', added: 1 })

    await removeItems(db, TEAM_A, 'wallets', addresses(8))
    expect(await addAll(addresses(1, 91))).toEqual(refused)
    await deleteVariable(db, TEAM_A, 'wallets')
    expect(await addAll(addresses(1, 91))).toEqual({ kind: 'added', added: 1 })
  })

  test('of many who add at once as many succeed as fit', async () => {
    const adders = addresses(30).map((item) =>
      addItems(
        db,
        { teamId: TEAM_A, name: 'wallets', kind: 'Address', items: [item] },
        { ofVariable: 20 },
      ),
    )
    const ended = await Promise.all(adders)
    expect(ended.filter(({ kind }) => kind === 'added')).toHaveLength(20)
    expect(await listItems(db, TEAM_A, 'wallets', ALL)).toMatchObject({ totalCount: 20 })
    expect(await itemsOf('wallets')).toHaveLength(20)
  })

  test('a team has so many variables and no more, and another is not touched', async () => {
    for (let made = 0; made < TEAM_VARIABLES_MAX; made++) await add(`v${made}`, [])
    expect(await add('one more', ['0xa'])).toEqual({ kind: 'too_many_variables' })
    expect(await add('v7', ['0xa'])).toEqual({ kind: 'added', added: 1 })
    expect(await add('v', ['0xa'], TEAM_B)).toEqual({ kind: 'added', added: 1 })
    await deleteVariable(db, TEAM_A, 'v8')
    expect(await add('one more', ['0xa'])).toEqual({ kind: 'added', added: 1 })
  })

  test('10,000 items go in one call, and again without counting twice', async () => {
    const items = addresses(10_000)
    expect(await add('wallets', items)).toEqual({ kind: 'added', added: 10_000 })
    const shifted = addresses(10_000, 5_000)
    expect(await add('wallets', shifted)).toEqual({ kind: 'added', added: 5_000 })
    expect(await removeItems(db, TEAM_A, 'wallets', items)).toBe(10_000)
    expect(await listItems(db, TEAM_A, 'wallets', 1)).toEqual({
      items: addresses(1, 10_000),
      totalCount: 5_000,
    })
  })

  test.each(HOSTILE_TEXTS)('names and items keep every character: %j', async (text) => {
    await add(text, [text])
    expect(await itemsOf(text)).toEqual([text])
    expect(await removeItems(db, TEAM_A, text, [text])).toBe(1)
    expect(await deleteVariable(db, TEAM_A, text)).toBe(true)
  })
})

describe('removing', () => {
  test('counts what was there', async () => {
    await add('wallets', ['0xa', '0xb', '0xc'])
    expect(await removeItems(db, TEAM_A, 'wallets', ['0xa', '0xa', '0xz'])).toBe(1)
    expect(await removeItems(db, TEAM_A, 'wallets', ['0xa'])).toBe(0)
    expect(await listItems(db, TEAM_A, 'wallets', ALL)).toEqual({
      items: ['0xb', '0xc'],
      totalCount: 2,
    })
  })

  test('an item may come back', async () => {
    await add('wallets', ['0xa'])
    await removeItems(db, TEAM_A, 'wallets', ['0xa'])
    expect(await add('wallets', ['0xa'])).toEqual({ kind: 'added', added: 1 })
    expect(await itemsOf('wallets')).toEqual(['0xa'])
  })

  test('from a variable that is not there, or another team’s, says so', async () => {
    await add('wallets', ['0xa'], TEAM_B)
    expect(await removeItems(db, TEAM_A, 'wallets', ['0xa'])).toBeNull()
    expect(await itemsOf('wallets', TEAM_B)).toEqual(['0xa'])
  })
})

describe('deleting', () => {
  test('takes the variable with all its items, and the name can be used anew', async () => {
    await add('wallets', ['0xa', '0xb'])
    expect(await deleteVariable(db, TEAM_B, 'wallets')).toBe(false)
    expect(await deleteVariable(db, TEAM_A, 'wallets')).toBe(true)
    expect(await deleteVariable(db, TEAM_A, 'wallets')).toBe(false)
    expect(await findVariable(db, TEAM_A, 'wallets')).toBeNull()
    expect(await listItems(db, TEAM_A, 'wallets', ALL)).toBeNull()

    const anew = { teamId: TEAM_A, name: 'wallets', kind: 'Bytes32', items: ['0xc'] } as const
    expect(await addItems(db, anew)).toEqual({ kind: 'added', added: 1 })
    expect(await itemsOf('wallets')).toEqual(['0xc'])
  })

  test('its items are forgotten bit by bit, those of living variables never', async () => {
    await add('gone', addresses(25))
    await add('alive', addresses(5))
    await deleteVariable(db, TEAM_A, 'gone')
    const forgotten = [0, 0, 0, 0].map(() => () => forgetGoneItems(db, 10))
    const counts: number[] = []
    for (const forget of forgotten) counts.push(await forget())
    expect(counts).toEqual([10, 10, 5, 0])
    expect(await itemsOf('alive')).toEqual(addresses(5))
    expect(await db.query(sql`SELECT COUNT(*) AS count FROM variable_items`)).toEqual([
      { count: 5 },
    ])
  })
})

test('items are listed in pages that neither skip nor repeat', async () => {
  await add('wallets', addresses(23))
  await removeItems(db, TEAM_A, 'wallets', addresses(3, 4))
  const read: string[] = []
  let page = await listItems(db, TEAM_A, 'wallets', 5)
  while (page && page.items.length > 0) {
    expect(page.totalCount).toBe(20)
    read.push(...page.items)
    page = await listItems(db, TEAM_A, 'wallets', 5, read.at(-1))
  }
  expect(read).toEqual([...addresses(4), ...addresses(16, 7)])
})
