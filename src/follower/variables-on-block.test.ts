import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { freshStore } from '../../tests/fresh-store.ts'
import {
  ALICE,
  BOB,
  rawBlock,
  rawCall,
  rawLog,
  TOKEN,
  word,
} from '../../tests/support/blocks/raw-block.ts'
import { insertTeams, TEAM_A, TEAM_B } from '../../tests/support/deliveries/webhook-store.ts'
import { assembleBlock } from '../core/chain/assemble-block.ts'
import type { Block } from '../core/chain/block.ts'
import { quirksOf } from '../core/chain/quirks.ts'
import type { VariableUse } from '../core/query/language/query-plan.ts'
import type { Database } from '../ports/database.ts'
import { addItems, findVariable, itemsAmong, removeItems } from '../tables/webhooks/variables.ts'
import { variablesOnBlock } from './variables-on-block.ts'

const CAROL = `0x${'ca'.repeat(20)}`
const INNER = `0x${'1e'.repeat(20)}`
const STRANGER = `0x${'99'.repeat(20)}`

let database: Database

beforeEach(async () => {
  database = await freshStore()
  await insertTeams(database)
})

afterEach(() => database.close())

function wholeBlock(): Block {
  const calls = [rawCall({ from: BOB, to: INNER })]
  const parts = rawBlock([{ logs: [rawLog(2)] }, { from: CAROL, to: null, calls }])
  const wants = { transactions: true, receipts: true, traces: true }
  const block = assembleBlock({ ...parts, expected: parts.ref, wants }, quirksOf(1))
  if (typeof block === 'string') throw new Error(block)
  return block
}

function addAddresses(name: string, items: readonly string[], teamId = TEAM_A) {
  return addItems(database, { teamId, name, kind: 'Address', items })
}

function onBlock(...used: VariableUse[]) {
  return variablesOnBlock(database, TEAM_A, used, wholeBlock())
}

describe('the variables of a team on a block', () => {
  test('hold whichever of their addresses the block can match, wherever it has them', async () => {
    const everyone = [ALICE, BOB, CAROL, TOKEN, INNER]
    await addAddresses('watched', [...everyone, STRANGER])
    const { sets, missing } = await onBlock({ name: 'watched', kind: 'Address' })
    expect(everyone.filter((address) => sets.get('watched')?.has(address))).toEqual(everyone)
    expect([sets.get('watched')?.size, missing]).toEqual([everyone.length, []])
  })

  test('hold topics, for a variable of topics', async () => {
    const items = [word('70', 1), word('70', 9)]
    await addItems(database, { teamId: TEAM_A, name: 'events', kind: 'Bytes32', items })
    const { sets } = await onBlock({ name: 'events', kind: 'Bytes32' })
    expect([sets.get('events')?.size, sets.get('events')?.has(word('70', 1))]).toEqual([1, true])
  })

  test('count as they are now, and only the team’s own', async () => {
    await addAddresses('own', [ALICE, BOB])
    await removeItems(database, TEAM_A, 'own', [ALICE])
    await addAddresses('foreign', [ALICE], TEAM_B)
    const used = ['own', 'foreign'].map((name) => ({ name, kind: 'Address' as const }))
    const { sets, missing } = await onBlock(...used)
    expect([sets.get('own')?.has(ALICE), sets.get('own')?.has(BOB)]).toEqual([false, true])
    expect([sets.has('foreign'), missing]).toEqual([false, ['foreign']])
  })

  test('are there though empty', async () => {
    await addAddresses('empty', [])
    const { sets, missing } = await onBlock({ name: 'empty', kind: 'Address' })
    expect([sets.get('empty')?.size, missing]).toEqual([0, []])
  })
})

test('more keys than fit into one statement are looked up in several', async () => {
  const keys = Array.from({ length: 25_000 }, (_, at) => `0x${at.toString(16).padStart(40, '0')}`)
  const items = [keys[0], keys[9_999], keys[10_000], keys[24_999]].map(String)
  await addAddresses('many', items)
  const id = (await findVariable(database, TEAM_A, 'many'))?.id ?? 0
  expect((await itemsAmong(database, id, keys)).sort()).toEqual(items.sort())
  expect(await itemsAmong(database, id, [])).toEqual([])
})
