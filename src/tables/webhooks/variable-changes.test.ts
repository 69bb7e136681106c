import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../../tests/fresh-store.ts'
import { seededChance } from '../../../tests/support/basics/seeded-chance.ts'
import { insertTeams, TEAM_A } from '../../../tests/support/deliveries/webhook-store.ts'
import type { Database } from '../../ports/database.ts'
import { readRevision } from '../sql/revisions.ts'
import { type ChangedItem, itemsChangedSince, variablesChangedSince } from './variable-changes.ts'
import { addItems, deleteVariable, findVariable, listItems, removeItems } from './variables.ts'

const ALL = 100_000

let db: Database
beforeEach(async () => {
  db = await freshStore()
  await insertTeams(db)
})
afterEach(() => db.close())

function add(name: string, items: readonly string[]) {
  return addItems(db, { teamId: TEAM_A, name, kind: 'Address', items })
}

describe('what changed since a revision', () => {
  test('is every variable whose items did, and those that are gone', async () => {
    await add('a', ['0x1'])
    await add('b', ['0x1'])
    await add('c', ['0x1'])
    const known = await readRevision(db, 'webhooks')
    await removeItems(db, TEAM_A, 'c', ['0x1'])
    await deleteVariable(db, TEAM_A, 'a')
    // Neither of these changes anything.
    await add('b', ['0x1'])
    await removeItems(db, TEAM_A, 'b', ['0x2'])

    const changedSince = (revision: number, pageRows: number) =>
      Array.fromAsync(variablesChangedSince(db, revision, pageRows))
    const changed = await changedSince(known, 10)
    expect(changed.map(({ name, isGone, itemCount }) => [name, isGone, itemCount])).toEqual([
      ['c', false, 0],
      ['a', true, 0],
    ])
    expect(await changedSince(known, 1)).toEqual(changed)
    expect(await changedSince(changed[0]?.revision ?? 0, 9)).toEqual(changed.slice(1))
  })

  test('is every item that came or went', async () => {
    await add('a', ['0x1', '0x2', '0x3'])
    const { id, revision } = (await findVariable(db, TEAM_A, 'a')) ?? { id: 0, revision: 0 }
    await removeItems(db, TEAM_A, 'a', ['0x1', '0x2'])
    await add('a', ['0x2', '0x3', '0x4'])
    const pages = await Array.fromAsync(itemsChangedSince(db, id, revision, ALL))
    expect(pages.flat()).toEqual([
      { item: '0x1', isGone: true, revision: revision + 1 },
      { item: '0x2', isGone: false, revision: revision + 2 },
      { item: '0x4', isGone: false, revision: revision + 2 },
    ])
  })

  test('keeps a reader that follows in small pages equal to the store, whatever happens', async () => {
    const chance = seededChance(11)
    const pool = Array.from({ length: 30 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
    const copy = new Set<string>()
    await add('a', [])
    const id = (await findVariable(db, TEAM_A, 'a'))?.id ?? 0
    let revision = 0
    let pages = itemsChangedSince(db, id, revision, 3)
    const turnPage = async () => {
      let turned = await pages.next()
      if (turned.done) {
        pages = itemsChangedSince(db, id, revision, 3)
        turned = await pages.next()
      }
      const page: ChangedItem[] = turned.value
      for (const { item, isGone } of page) isGone ? copy.delete(item) : copy.add(item)
      revision = page.at(-1)?.revision ?? revision
      return page.length
    }

    for (let step = 0; step < 100; step++) {
      const some = pool.filter(() => chance.fraction() < 0.3)
      if (chance.fraction() < 0.5) await add('a', some)
      else await removeItems(db, TEAM_A, 'a', some)
      await turnPage()
    }
    while ((await turnPage()) > 0);
    const page = await listItems(db, TEAM_A, 'a', ALL)
    expect([...copy].sort()).toEqual(page?.items ?? [])
    expect((await findVariable(db, TEAM_A, 'a'))?.itemCount).toBe(copy.size)
  })
})
