import { describe, expect, test } from 'bun:test'
import {
  ALICE,
  BOB,
  rawBlock,
  rawCall,
  rawLog,
  TOKEN,
  word,
} from '../../../../tests/support/blocks/raw-block.ts'
import { assembled } from '../../../../tests/support/product/assembled.ts'
import type { Block } from '../../chain/block.ts'
import { Rejection } from '../../errors.ts'
import { openVariableRegistry } from '../keys/variable-registry.ts'
import { compileQuery } from '../language/compile-query.ts'
import type { QueryPlan } from '../language/query-plan.ts'
import { type Engine, openEngine, type SharedResult } from './engine.ts'

const CAROL = `0x${'ca'.repeat(20)}`
const NOBODY = `0x${'99'.repeat(20)}`

function plan(text: string): QueryPlan {
  const compiled = compileQuery(text)
  if (compiled instanceof Rejection) throw new Error(compiled.message)
  return compiled
}

/** Alice calls Bob, who calls Carol; Bob logs once, the token twice. */
function block(number = 1000): Block {
  const {
    block: raw,
    receipts,
    traces,
  } = rawBlock(
    [
      { logs: [rawLog(1, BOB, '0x01'), rawLog(3, TOKEN, '0x02')] },
      { from: BOB, to: CAROL, logs: [rawLog(3, TOKEN, '0x03')], calls: [rawCall({ to: CAROL })] },
    ],
    number,
  )
  return assembled({ block: raw, receipts, traces })
}

function logsOf(address: string): string {
  return `{ block { logs(filter: { addresses: ["${address}"] }) { data } } }`
}

const LOGS_OF_WALLETS =
  'query ($wallets: [Address!]) { block { logs(filter: { addresses: $wallets }) { data } } }'

function put(
  engine: Engine,
  id: string,
  text: string,
  more: { skip?: boolean; team?: string } = {},
) {
  engine.put({ id, teamId: more.team ?? 'team', plan: plan(text), skipEmpty: more.skip ?? false })
}

/** The text of each query that is due, by its id. */
function texts(due: readonly SharedResult[]): Record<string, string> {
  const all = due.flatMap(({ result, ids }) => ids.map((id) => [id, result.text] as const))
  expect(new Set(all.map(([id]) => id)).size).toBe(all.length)
  return Object.fromEntries(all)
}

const EMPTY = '{"block":{"logs":[]}}'

describe('standing queries on a block', () => {
  test('each gets its own result; an empty one too, unless it is skipped', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'hit', logsOf(TOKEN), { skip: true })
    put(engine, 'miss', logsOf(NOBODY))
    put(engine, 'skipped', logsOf(NOBODY), { skip: true })
    expect(texts(engine.run(block()))).toEqual({
      hit: '{"block":{"logs":[{"data":"0x02"},{"data":"0x03"}]}}',
      miss: EMPTY,
    })
  })

  test('one that skips empty results gets one all the same where it must know', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'known', logsOf(NOBODY), { skip: true })
    put(engine, 'unknown', logsOf(NOBODY), { skip: true })
    put(engine, 'always', logsOf(NOBODY))
    put(engine, 'hit', logsOf(BOB), { skip: true })
    const even = new Set(['known', 'hit', 'always', 'no such query'])
    expect(texts(engine.run(block(), even))).toEqual({
      known: EMPTY,
      always: EMPTY,
      hit: '{"block":{"logs":[{"data":"0x01"}]}}',
    })
  })

  test('a query without lists is never empty, so it is due even if it skips empty results', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'head', '{ block { number } }', { skip: true })
    const [due] = engine.run(block(7))
    expect(due?.ids).toEqual(['head'])
    expect(due?.result).toEqual({
      text: '{"block":{"number":7}}',
      bytes: 22,
      empty: false,
      matched: {},
      truncation: null,
    })
  })

  test('withdrawals are no list that makes a query empty or not', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'paid', '{ block { withdrawals { amount } } }', { skip: true })
    const none = `logs(filter: { addresses: ["${NOBODY}"] }) { data }`
    put(engine, 'both', `{ block { withdrawals { amount } ${none} } }`, { skip: true })
    expect(texts(engine.run(block()))).toEqual({ paid: '{"block":{"withdrawals":[{"amount":3}]}}' })
  })

  test('equal queries share one result, each skipping or not as it was told', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'a', logsOf(TOKEN))
    put(engine, 'b', `{ block { logs(filter: { addresses: ["${TOKEN}"] }) { data data } } }`, {
      skip: true,
    })
    const due = engine.run(block())
    expect(due.length).toBe(1)
    expect(due[0]?.ids.toSorted()).toEqual(['a', 'b'])
    expect(due[0]?.result.matched).toEqual({ logs: 2 })
    const without = assembled({ ...rawBlock([{}]) })
    expect(engine.run(without).flatMap(({ ids }) => ids)).toEqual(['a'])
  })

  test('queries that find nothing share one result, however their filters differ', () => {
    const engine = openEngine(openVariableRegistry())
    for (let at = 0; at < 50; at++)
      put(engine, `q${at}`, logsOf(`0x${String(at).repeat(40).slice(0, 40)}`))
    put(engine, 'hit', logsOf(TOKEN))
    const due = engine.run(block())
    expect(due.length).toBe(2)
    expect(Object.keys(texts(due)).length).toBe(51)
  })

  test('putting a query again changes it, and a removed one is gone', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'a', logsOf(NOBODY), { skip: true })
    put(engine, 'b', logsOf(TOKEN))
    put(engine, 'a', logsOf(BOB), { skip: true })
    expect(engine.size()).toBe(2)
    expect(Object.keys(texts(engine.run(block()))).sort()).toEqual(['a', 'b'])
    engine.remove('b')
    engine.remove('b')
    expect(Object.keys(texts(engine.run(block())))).toEqual(['a'])
    put(engine, 'a', logsOf(BOB))
    expect(Object.keys(texts(engine.run(block())))).toEqual(['a'])
    engine.remove('a')
    expect(engine.size()).toBe(0)
    expect(engine.run(block())).toEqual([])
  })

  test('what the queries want of a block is known at any time', () => {
    const engine = openEngine(openVariableRegistry())
    expect(engine.wants()).toEqual({ transactions: false, receipts: false, traces: false })
    put(engine, 'head', '{ block { number } }')
    expect(engine.wants()).toEqual({ transactions: false, receipts: false, traces: false })
    put(engine, 'sent', '{ block { transactions { hash } } }')
    expect(engine.wants()).toEqual({ transactions: true, receipts: false, traces: false })
    put(engine, 'logs', logsOf(BOB))
    put(engine, 'calls', '{ block { callTracerTraces { gas } } }')
    expect(engine.wants()).toEqual({ transactions: true, receipts: true, traces: true })
    engine.remove('logs')
    engine.remove('calls')
    expect(engine.wants()).toEqual({ transactions: true, receipts: false, traces: false })
  })

  test('one item that matches in many ways is in its list once, and lists keep their order', () => {
    const engine = openEngine(openVariableRegistry())
    const pairs = `[{ to: ["${CAROL}", "${BOB}"] }, { from: "${ALICE}" }, { from: "${BOB}" }]`
    put(engine, 'q', `{ block { transactions(filter: { addresses: ${pairs} }) { index } } }`)
    expect(texts(engine.run(block()))).toEqual({
      q: '{"block":{"transactions":[{"index":0},{"index":1}]}}',
    })
  })
})

describe('variables in standing queries', () => {
  test('a missing or empty variable matches nothing, and a change acts on the next block', () => {
    const registry = openVariableRegistry()
    const engine = openEngine(registry)
    put(engine, 'q', LOGS_OF_WALLETS)
    expect(texts(engine.run(block()))).toEqual({ q: EMPTY })
    registry.set('team', 'wallets', [])
    expect(texts(engine.run(block()))).toEqual({ q: EMPTY })
    registry.change('team', 'wallets', [BOB], [])
    expect(texts(engine.run(block()))).toEqual({ q: '{"block":{"logs":[{"data":"0x01"}]}}' })
    registry.change('team', 'wallets', [], [BOB])
    expect(texts(engine.run(block()))).toEqual({ q: EMPTY })
    registry.set('team', 'wallets', [BOB])
    registry.drop('team', 'wallets')
    expect(texts(engine.run(block()))).toEqual({ q: EMPTY })
  })

  test('are those of the team, deep in a query too', () => {
    const registry = openVariableRegistry()
    const engine = openEngine(registry)
    const nested = `query ($wallets: [Address!]) { block { transactions { block {
      logs(filter: { addresses: $wallets }) { data } } } } }`
    for (const team of ['team_a', 'team_b']) {
      put(engine, team, LOGS_OF_WALLETS, { team })
      put(engine, `${team} nested`, nested, { team })
    }
    registry.set('team_a', 'wallets', [BOB])
    const { team_a, team_b, ...nestedTexts } = texts(engine.run(block()))
    expect([team_a, team_b]).toEqual(['{"block":{"logs":[{"data":"0x01"}]}}', EMPTY])
    expect(nestedTexts['team_a nested']).toContain('"logs":[{"data":"0x01"}]')
    expect(nestedTexts['team_b nested']).not.toContain('data')
  })

  test('are named once each for as long as a query uses them', () => {
    const engine = openEngine(openVariableRegistry())
    put(engine, 'a', LOGS_OF_WALLETS, { team: 'team_a' })
    put(engine, 'b', LOGS_OF_WALLETS, { team: 'team_a', skip: true })
    put(engine, 'c', LOGS_OF_WALLETS, { team: 'team_c' })
    const wallets = (teamId: string) => ({ teamId, name: 'wallets' })
    expect(engine.variablesUsed()).toEqual([wallets('team_a'), wallets('team_c')])
    engine.remove('a')
    engine.remove('c')
    expect(engine.variablesUsed()).toEqual([wallets('team_a')])
    engine.remove('b')
    expect(engine.variablesUsed()).toEqual([])
  })

  test('hold more keys than an index is kept for', () => {
    const registry = openVariableRegistry()
    const engine = openEngine(registry)
    put(engine, 'q', LOGS_OF_WALLETS, { skip: true })
    const others = Array.from({ length: 20_000 }, (_, at) => `0x${String(at).padStart(40, '0')}`)
    registry.set('team', 'wallets', others)
    expect(engine.run(block())).toEqual([])
    registry.change('team', 'wallets', [BOB, TOKEN], [])
    expect(engine.run(block())[0]?.result.matched).toEqual({ logs: 3 })
  })
})

test('queries that wait for a key which everyone uses are answered right, before and after', () => {
  const engine = openEngine(openVariableRegistry())
  const logs = Array.from({ length: 40 }, (_, at) => ({
    address: TOKEN,
    topics: [word('70'), word('80', at)],
    data: '0x',
  }))
  const crowded = assembled(rawBlock([{ logs }]))
  const filter = (at: number) =>
    `{ addresses: ["${TOKEN}"], topics: [["${word('70')}"], ["${word('80', at)}", "${word('81', at)}"]] }`
  for (let at = 0; at < 200; at++) {
    put(engine, `q${at}`, `{ block { logs(filter: ${filter(at)}) { index } } }`, { skip: true })
    put(
      engine,
      `t${at}`,
      `{ block { a${at}: logs(filter: { addresses: ["${TOKEN}"] }) { index } } }`,
    )
  }
  const first = texts(engine.run(crowded))
  expect(Object.keys(first).length).toBe(240)
  expect(first.q39).toBe('{"block":{"logs":[{"index":39}]}}')
  expect(texts(engine.run(crowded))).toEqual(first)
  for (let at = 0; at < 200; at++) engine.remove(`q${at}`)
  expect(Object.keys(texts(engine.run(crowded))).length).toBe(200)
})

test('a filter with more positions than a log has topics passes it over, whatever they say', () => {
  const engine = openEngine(openVariableRegistry())
  const filter = (topics: string) =>
    `(filter: { addresses: ["${TOKEN}", "${BOB}"], topics: ${topics} })`
  const any = (count: number) => `[${Array(count).fill('[]').join()}]`
  for (const count of [0, 1, 2, 3, 4]) {
    put(engine, `any${count}`, `{ block { logs(filter: { topics: ${any(count)} }) { data } } }`)
    put(engine, `two${count}`, `{ block { logs${filter(any(count))} { data } } }`)
    const one = `(filter: { addresses: "${BOB}", topics: ${any(count)} })`
    put(engine, `one${count}`, `{ block { logs${one} { data } } }`)
  }
  const found = Object.entries(texts(engine.run(block()))).map(
    ([id, text]) => [id, JSON.parse(text).block.logs.length] as const,
  )
  expect(Object.fromEntries(found)).toEqual({
    ...{ any0: 3, any1: 3, any2: 2, any3: 2, any4: 0 },
    ...{ two0: 3, two1: 3, two2: 2, two3: 2, two4: 0 },
    ...{ one0: 1, one1: 1, one2: 0, one3: 0, one4: 0 },
  })
})
