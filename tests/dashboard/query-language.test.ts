import { describe, expect, test } from 'bun:test'
import { parse, print } from 'graphql'
import { formatQuery } from '../../dashboard/pages/editor/language/format-query.ts'
import { tokensOf } from '../../dashboard/pages/editor/language/graphql-tokens.ts'
import { queryCompletions } from '../../dashboard/pages/editor/language/query-completions.ts'
import { fieldAt } from '../../dashboard/pages/editor/language/query-place.ts'
import { readSchema } from '../../dashboard/pages/editor/language/read-schema.ts'
import { suggestedNames } from '../../dashboard/pages/editor/query/query-problem.ts'
import { RECIPES } from '../../dashboard/pages/editor/recipes.ts'
import { querySchema, SCHEMA_TEXT } from '../../src/core/query/language/query-schema.ts'
import { seededChance } from '../support/basics/seeded-chance.ts'
import { randomQuery } from '../support/blocks/random-query.ts'

const DEEP = `${'{'.repeat(30_000)}${'}'.repeat(30_000)}`

const SCHEMA = readSchema(SCHEMA_TEXT)

describe('the schema as the editor reads it', () => {
  test('has every type, field and argument that graphql-js finds in it, with their words', () => {
    for (const [name, type] of Object.entries(querySchema().getTypeMap())) {
      if (name.startsWith('__') || ['String', 'Boolean'].includes(name)) continue
      const read = SCHEMA.get(name)
      expect(read?.doc ?? '').toBe(oneLine(type.description))
      const fields = 'getFields' in type ? Object.values(type.getFields()) : []
      expect([...(read?.fields.keys() ?? [])]).toEqual(fields.map((field) => field.name))
      for (const field of fields) {
        const known = read?.fields.get(field.name)
        expect(known?.type).toBe(String(field.type))
        expect(known?.doc ?? '').toBe(oneLine(field.description))
        const args = 'args' in field ? field.args.map(({ name }: { name: string }) => name) : []
        expect([...(known?.args.keys() ?? [])]).toEqual(args)
      }
    }
  })

  test('says of every field of a block, transaction, log and call what it is', () => {
    const silent = ['Block', 'Transaction', 'Log', 'CallTracerTrace'].flatMap((name) =>
      [...(SCHEMA.get(name)?.fields.values() ?? [])]
        .filter(({ doc, of }) => !doc && !SCHEMA.get(of)?.doc)
        .map((field) => `${name}.${field.name}`),
    )
    expect(silent).toEqual([])
  })

  test.each([
    '',
    '"',
    '{',
    'type',
    'type A {',
    'type A { b',
    'type A { b(',
    '"""',
    'type A { b: [',
  ])('a broken one is read as far as it goes: %j', (text) => {
    expect(readSchema(text).size).toBeLessThan(2)
  })
})

describe('completion', () => {
  test.each([
    ['{ block { num| } }', 'number'],
    ['{ block { | } }', 'callTracerTraces'],
    ['{ block { logs { | } } }', 'topics'],
    ['{ block { logs { data t| } } }', 'transaction'],
    ['{ block { x: log| } }', 'logs'],
    ['{ block { logs(| } }', 'filter'],
    ['{ block { logs(filter: {| } }', 'addresses'],
    ['{ block { logs(filter: {addresses: ["0x"] t| } }', 'topics'],
    ['{ block { transactions(filter: {addresses: [{f| } }', 'from'],
    ['query ($a: |) { block { number } }', '[Address!]'],
    ['query ($a: [Address!], $b: |) { block { number } }', '[Bytes32!]'],
    ['query ($w: [Address!]) { block { logs(filter: {addresses: |}) { data } } }', '$w'],
    ['query ($w: [Address!]) { block { logs(filter: {addresses: $|}) { data } } }', '$w'],
    ['query ($w: [Bytes32!]) { block { logs(filter: {topics: [[], |]}) { data } } }', '$w'],
    ['{ block { ... on | } }', 'Block'],
    ['fragment f on Log { | }', 'account'],
    ['{ block { logs { transaction { from { ad| } } } } }', 'address'],
    ['qu|', 'query'],
    ['{ block { number # a comment\n h| } }', 'hash'],
  ])('%s offers %s', (text, label) => {
    expect(labelsAt(text)).toContain(label)
  })

  test.each([
    ['{ block { number # num| } }'],
    ['{ block { logs(filter: {addresses: "0x|"}) } }'],
    ['{ block { number { | } } }'],
    ['{ nothing { | } }'],
    ['query ($w: [Address!]) { block { logs(filter: {topics: [|]}) { data } } }'],
  ])('%s offers nothing', (text) => {
    expect(labelsAt(text)).toEqual([])
  })

  test('any prefix of any query is answered', () => {
    for (const { query } of RECIPES) {
      for (let at = 0; at <= query.length; at += 7) {
        queryCompletions(query.slice(0, at), at, SCHEMA)
      }
    }
  })
})

describe('words about a field', () => {
  test.each([
    ['{ block { gas|Used } }', 'Block', 'gasUsed'],
    ['{ block { transactions { gas|Used } } }', 'Transaction', 'gasUsed'],
    ['{ block { a: gas|Used } }', 'Block', 'gasUsed'],
    ['{ block { logs { transaction { gas|Used } } } }', 'Transaction', 'gasUsed'],
    ['fragment f on CallTracerTrace { gas|Used }', 'CallTracerTrace', 'gasUsed'],
  ])('%s is the one of %s', (text, type, name) => {
    const field = fieldUnder(text)
    expect(field).toBe(SCHEMA.get(type)?.fields.get(name) ?? null)
    expect(field).not.toBeNull()
  })

  test.each([
    ['{ block { gas|Used: number } }'],
    ['{ block { nonsense| } }'],
    ['qu|ery { block }'],
  ])('%s has none', (text) => {
    expect(fieldUnder(text)).toBeNull()
  })
})

describe('the form of a query', () => {
  test.each(RECIPES.map(({ id, query }) => [id, query]))('%s has it already', (_id, query) => {
    expect(formatQuery(query)).toBe(query)
  })

  test('means the same afterwards, and is not changed a second time', () => {
    const chance = seededChance(7)
    const material = {
      addresses: [`0x${'a1'.repeat(20)}`],
      topics: [`0x${'b2'.repeat(32)}`],
      addressVariables: ['wallets'],
      topicVariables: ['events'],
    }
    for (let at = 0; at < 300; at++) {
      const text = randomQuery(chance, material)
      const formed = formatQuery(text)
      expect(print(parse(formed))).toBe(print(parse(text)))
      expect(formatQuery(formed)).toBe(formed)
    }
  })

  test('keeps comments where they stood', () => {
    expect(formatQuery('# first\n{ block { number # height\n # own line\n hash } } # last')).toBe(
      '# first\n{\n  block {\n    number  # height\n    # own line\n    hash\n  }\n} # last\n',
    )
  })

  test.each(['{ block {', 'query ( {', '}', '{ block ) }', '"""', 'x'.repeat(70_000), DEEP])(
    'that is broken is left alone: %#',
    (text) => {
      expect(formatQuery(text).trim()).toBe(text.trim())
    },
  )
})

test('the words of a hostile text are found in linear time, and none is lost', () => {
  for (const piece of ['"', '"""', '\\"', '{', '$', '#', '@', '-', '.', '0x', 'é', '\u0000']) {
    const text = piece.repeat(20_000)
    const whole = tokensOf(text)
      .map((token) => token.text)
      .join('')
    expect(whole.length).toBe(text.length)
  }
})

test.each([
  ['Cannot query field "gasUsd" on type "Transaction". Did you mean "gasUsed"?', ['gasUsed']],
  ['Did you mean "to" or "from"?', ['to', 'from']],
  ['Did you mean "a", "b", or "c"?', ['a', 'b', 'c']],
  ['Did you mean the enum value "<b>"?', []],
  ['Syntax Error: Expected Name, found "{".', []],
])('%s suggests %p', (message, names) => {
  expect(suggestedNames(message)).toEqual(names)
})

function labelsAt(marked: string): string[] {
  const offset = marked.indexOf('|')
  const found = queryCompletions(marked.replace('|', ''), offset, SCHEMA)
  return found?.options.map(({ label }) => label) ?? []
}

function fieldUnder(marked: string) {
  const offset = marked.indexOf('|')
  const tokens = tokensOf(marked.replace('|', ''))
  const at = tokens.findIndex(({ from, to }) => from <= offset && offset <= to)
  return fieldAt(tokens, at, SCHEMA)
}

function oneLine(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim()
}
