import { describe, expect, test } from 'bun:test'
import { filesAreNamedAfterExports, typesHaveOneName } from './name-laws.ts'

describe('a file is named after its main export', () => {
  test.each([
    ['the name itself', 'src/core/head-feed.ts', 'export function headFeed() {}'],
    ['a type of that name', 'src/core/head-feed.ts', 'export type HeadFeed = {}'],
    ['a longer name', 'src/core/head-feed.ts', 'export function openHeadFeed() {}'],
    ['a constant', 'src/core/head-feeds.ts', 'export const HEAD_FEEDS = 1'],
    [
      'another form of the words',
      'src/core/block-reader.ts',
      'export async function readBlock() {}',
    ],
    ['an acronym', 'src/core/rpc-client.ts', 'export class RPCClient {}'],
    ['words that the folder says', 'src/solana/solana-slots.ts', 'export type Slots = {}'],
    ['a plural', 'src/core/error-classes.ts', 'export type ErrorClass = {}'],
    [
      'one of several',
      'src/core/a-b.ts',
      'export type X = {}\nexport const ab = 1, y = 2\nexport { aB }',
    ],
    ['what is exported in a list', 'src/core/a-b.ts', 'export { type Z, x as aB }'],
    ['no export at all', 'src/core/head-feed.ts', 'serve()'],
    ['a test', 'src/core/head-feed.test.ts', 'export const x = 1'],
    ['so many that none is the main one', 'src/core/hex.ts', 'export const a = 1\n'.repeat(5)],
  ])('kept: %s', (_title, path, text) => {
    expect(filesAreNamedAfterExports([{ path, text }])).toEqual([])
  })

  test.each([
    ['another name', 'src/core/head-feed.ts', 'export function openNews() {}'],
    ['half of the name', 'src/core/head-feed.ts', 'export type Feed = {}'],
    ['its word within another', 'src/core/run.ts', 'export type Runtime = {}'],
    ['a folder that says all of it', 'src/core/slots/slots.ts', 'export type Places = {}'],
    ['a name that is only mentioned', 'src/core/a-b.ts', '// export const aB\nexport const x = 1'],
    [
      'a name that is passed on',
      'src/core/a-b.ts',
      "export { aB } from './a.ts'\nexport const x = 1",
    ],
  ])('broken: %s', (_title, path, text) => {
    expect(filesAreNamedAfterExports([{ path, text }])).toHaveLength(1)
  })
})

describe('no exported type name stands twice', () => {
  const twice = (one: string, other: string) =>
    typesHaveOneName([
      { path: 'src/core/a.ts', text: one },
      { path: 'src/http/b.ts', text: other },
    ])

  test('broken by types, interfaces and classes', () => {
    expect(twice('export type Run = {}', 'export interface Run {}')).toEqual([
      'Run is a type in src/core/a.ts and in src/http/b.ts',
    ])
    expect(twice('export class Run {}', 'export type Run<T> = T')).toHaveLength(1)
  })

  test('kept where one of them is private, passed on, or a comment', () => {
    expect(twice('export type Run = {}', 'type Run = {}')).toEqual([])
    expect(twice('export type Run = {}', "export type { Run } from '../core/a.ts'")).toEqual([])
    expect(twice('export type Run = {}', '/*\nexport type Run = {}\n*/')).toEqual([])
    expect(twice('export type Run = {}', 'export type Runs = {}')).toEqual([])
  })
})
