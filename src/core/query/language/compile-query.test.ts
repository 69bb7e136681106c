import { describe, expect, test } from 'bun:test'
import { Rejection } from '../../errors.ts'
import { compileQuery } from './compile-query.ts'
import type { QueryPlan, SelectedField, SelectionSet } from './query-plan.ts'

const ADDRESS = '0x00000000219ab540356cBB839Cbe05303d7705Fa'
const TOPIC = `0x${'Ab'.repeat(32)}`

describe('a query becomes a plan', () => {
  test('of its block, lists, filters and variables', () => {
    const plan = planOf(`
      query Watch($wallets: [Address!], $events: [Bytes32!]!) {
        block {
          hash
          number
          transactions(filter: { addresses: [{ to: $wallets }] }) { hash from { address } status }
          logs(filter: { addresses: "${ADDRESS}", topics: [$events, [], "${TOPIC}"] }) {
            topics
            transaction { hash }
          }
          callTracerTraces { traceAddressPath }
        }
      }`)
    const account: SelectionSet = {
      on: 'Account',
      key: 'Account{address}',
      fields: [scalar('address')],
    }
    const logFilter = `(${ADDRESS.toLowerCase()};$events,*,${TOPIC.toLowerCase()})`
    expect(plan).toEqual({
      root: { before: '{"block":', after: '}' },
      selection: {
        on: 'Block',
        key:
          'Block{hash number ' +
          'transactions(*>$wallets)Transaction{hash fromAccount{address} status} ' +
          `logs${logFilter}Log{topics transactionTransaction{hash}} ` +
          'callTracerTracesCallTracerTrace{traceAddressPath}}',
        fields: [
          scalar('hash'),
          scalar('number'),
          {
            responseName: 'transactions',
            name: 'transactions',
            selection: {
              on: 'Transaction',
              key: 'Transaction{hash fromAccount{address} status}',
              fields: [scalar('hash'), object('from', account), scalar('status')],
            },
            filter: {
              kind: 'pairs',
              pairs: [{ from: null, to: { kind: 'variable', name: 'wallets' } }],
            },
          },
          {
            responseName: 'logs',
            name: 'logs',
            selection: {
              on: 'Log',
              key: 'Log{topics transactionTransaction{hash}}',
              fields: [
                scalar('topics'),
                object('transaction', {
                  on: 'Transaction',
                  key: 'Transaction{hash}',
                  fields: [scalar('hash')],
                }),
              ],
            },
            filter: {
              kind: 'logs',
              addresses: { kind: 'keys', keys: [ADDRESS.toLowerCase()] },
              topics: [
                { kind: 'variable', name: 'events' },
                null,
                { kind: 'keys', keys: [TOPIC.toLowerCase()] },
              ],
            },
          },
          object('callTracerTraces', {
            on: 'CallTracerTrace',
            key: 'CallTracerTrace{traceAddressPath}',
            fields: [scalar('traceAddressPath')],
          }),
        ],
      },
      wants: { transactions: true, receipts: true, traces: true, senders: true },
      variables: [
        { name: 'wallets', kind: 'Address' },
        { name: 'events', kind: 'Bytes32' },
      ],
      dryRunBlock: null,
    })
  })

  test('with the type of the root where it is asked for', () => {
    const { root } = planOf('{ __typename block { number } kind: __typename }')
    expect(root).toEqual({
      before: '{"__typename":"Query","block":',
      after: ',"kind":"Query"}',
    })
  })

  test('of a block that a dry run is to look at, and a webhook passes over', () => {
    const hash = `0x${'Cd'.repeat(32)}`
    expect(planOf(`{ block(hash: "${hash}") { number } }`).dryRunBlock).toEqual({
      hash: hash.toLowerCase(),
    })
    expect(planOf('{ block(number: 17000000) { hash } }').dryRunBlock).toEqual({
      number: 17_000_000,
    })
    expect(planOf('{ block(number: "17") { hash } }').dryRunBlock).toEqual({ number: 17 })
    expect(planOf('{ block(number: "0x11") { hash } }').dryRunBlock).toEqual({ number: 17 })
    expect(planOf('{ block(number: 0, hash: null) { hash } }').dryRunBlock).toEqual({ number: 0 })
    expect(planOf('{ block(number: null) { hash } }').dryRunBlock).toBeNull()
  })
})

describe('fields are merged as GraphQL has it', () => {
  test.each([
    ['the same field twice is one field', '{ block { hash hash } }', 'Block{hash}'],
    ['roots of one name', '{ block { hash } block { number hash } }', 'Block{hash number}'],
    [
      'sub-selections, in the order of first appearance',
      '{ block { logs { index } hash logs { data index } } }',
      'Block{logsLog{index data} hash}',
    ],
    [
      'fragments, wherever they stand',
      `{ ...Root } fragment Root on Query { block { ...Log ... on Block { hash } ...Log } }
       fragment Log on Block { logs { ... { data } } number }`,
      'Block{logsLog{data} number hash}',
    ],
    [
      'aliases make two fields of one',
      '{ block { a: hash hash b: hash } }',
      'Block{a:hash hash b:hash}',
    ],
    [
      'what @skip and @include leave out is gone',
      `{ block { hash @skip(if: true) number @include(if: true) gasUsed @include(if: false)
         nonce @skip(if: false) miner @include(if: true) @skip(if: true) { address } } }`,
      'Block{number nonce}',
    ],
    [
      'directives on fragments',
      `{ block { ...F @skip(if: true) ...F @include(if: true) ... @skip(if: true) { hash } } }
       fragment F on Block { number }`,
      'Block{number}',
    ],
    [
      'an object whose fields are all left out stays, empty',
      '{ block { logs { data @skip(if: true) } } }',
      'Block{logsLog{}}',
    ],
    [
      'roots whose arguments stand in another order',
      '{ block(hash: null, number: 1) { hash } block(number: 1, hash: null) { number } }',
      'Block{hash number}',
    ],
    [
      'arguments in another order are the same',
      `query ($a: [Address!]) { block {
         logs(filter: { addresses: $a, topics: [[]] }) { data }
         logs(filter: { topics: [[]], addresses: $a }) { index } } }`,
      'Block{logs($a;*)Log{data index}}',
    ],
  ])('%s', (_title, text, key) => {
    expect(planOf(text).selection.key).toBe(key)
  })
})

describe('the key of a selection', () => {
  test('is one for all spellings of the same filter', () => {
    const [low, high] = [`0x${'0a'.repeat(20)}`, `0x${'0B'.repeat(20)}`]
    const spellings = [
      `{ block { logs(filter: { addresses: ["${low}", "${high}"] }) { data } } }`,
      `{ block { logs(filter: { addresses: ["${high}", "${low}", "${high.toLowerCase()}"],
         topics: [] }) { data } } }`,
      `{ block { logs(filter: { topics: null, addresses: ["${high}" "${low}"] }) { data } } }`,
    ]
    expect(new Set(spellings.map((text) => planOf(text).selection.key)).size).toBe(1)
  })

  test('tells filters, aliases, fields and their order apart', () => {
    const bodies = [
      'hash number',
      'number hash',
      'hash: number number: hash',
      'logs { data }',
      'logs { data index }',
      'a: logs { data }',
      'transactions { logs { data } }',
      `logs(filter: { addresses: "${ADDRESS}" }) { data }`,
      `logs(filter: { addresses: "${ADDRESS}", topics: [[]] }) { data }`,
      `logs(filter: { addresses: "${ADDRESS}", topics: [[], []] }) { data }`,
      'logs(filter: { topics: [[]] }) { data }',
      'logs(filter: { addresses: $a }) { data }',
      'logs(filter: { addresses: $b }) { data }',
      'transactions(filter: { addresses: { from: $a } }) { hash }',
      'transactions(filter: { addresses: { to: $a } }) { hash }',
      'transactions(filter: { addresses: { from: $a, to: $b } }) { hash }',
      'transactions(filter: { addresses: [{ from: $a }, { to: $b }] }) { hash }',
      'callTracerTraces(filter: { addresses: [{ from: $a }, { to: $b }] }) { input }',
      'miner { address }',
    ]
    const keys = bodies.map((body) => {
      const used = ['a', 'b'].filter((name) => body.includes(`$${name}`))
      const variables = used.map((name) => `$${name}: [Address!]`).join()
      return planOf(`query ${used.length > 0 ? `(${variables})` : ''} { block { ${body} } }`)
        .selection.key
    })
    expect(new Set(keys).size).toBe(bodies.length)
  })
})

describe('a block is read only as far as the query needs it', () => {
  const none = { transactions: false, receipts: false, traces: false }
  const transactions = { ...none, transactions: true }
  const receipts = { ...transactions, receipts: true }
  const traces = { ...transactions, traces: true }
  test.each([
    ['hash number transactionCount withdrawals { amount }', none],
    ['parent { hash logs { data } transactions { status } callTracerTraces { gas } }', none],
    ['transactions { hash gasPrice value }', transactions],
    ['transactions { hash @skip(if: true) }', transactions],
    ['transactions { status }', receipts],
    ['transactions { gasUsed }', receipts],
    ['transactions { cumulativeGasUsed }', receipts],
    ['transactions { effectiveGasPrice }', receipts],
    ['transactions { createdContract { address } }', { ...receipts, senders: true }],
    ['transactions { logs { data } }', receipts],
    ['transactions { block { gasUsed transactionCount } }', transactions],
    ['transactions { block { logs { data } } }', receipts],
    ['transactions { status @include(if: false) hash }', transactions],
    ['logs { data }', receipts],
    ['callTracerTraces { input }', traces],
    ['callTracerTraces { transaction { hash } }', traces],
    ['callTracerTraces { transaction { status } }', { ...receipts, traces: true }],
    ['logs @skip(if: true) { data } hash', none],
    ['transactions { from { address } }', { ...transactions, senders: true }],
    ['logs { transaction { from { address } } }', { ...receipts, senders: true }],
    [`transactions(filter: { addresses: [{ to: "${ADDRESS}" }] }) { hash }`, transactions],
    [
      `transactions(filter: { addresses: [{ to: "${ADDRESS}" }, { from: "${ADDRESS}" }] }) { hash }`,
      { ...transactions, senders: true },
    ],
    [`callTracerTraces(filter: { addresses: [{ from: "${ADDRESS}" }] }) { input }`, traces],
  ])('%s', (body, wants) => {
    expect(planOf(`{ block { ${body} } }`).wants).toEqual(wants)
  })
})

function planOf(text: string): QueryPlan {
  const plan = compileQuery(text)
  if (plan instanceof Rejection) throw new Error(plan.message)
  return plan
}

function scalar(name: string): SelectedField {
  return { responseName: name, name, selection: null, filter: null }
}

function object(name: string, selection: SelectionSet): SelectedField {
  return { responseName: name, name, selection, filter: null }
}
