import { describe, expect, test } from 'bun:test'
import { commentsHaveSubjects, wordsAreTheFields } from './word-laws.ts'

describe('names are the words of the field', () => {
  test.each([
    ['a variable', 'src/core/a.ts', 'const parcel = 1', 'parcel'],
    ['a type in the plural', 'src/core/a.ts', 'export type Sheets = {}', 'sheet'],
    ['a part of a name', 'src/core/a.ts', 'needs.openMintBook()', 'book'],
    ['a constant', 'src/core/a.ts', 'const WISHES_MAX = 1', 'wish'],
    ['two words', 'src/core/a.ts', 'takeInHand(line)', 'in hand'],
    ['a file', 'src/core/roomy-bytes.ts', '', 'roomy'],
  ])('broken by %s', (_title, path, text, word) => {
    const [breach, ...more] = wordsAreTheFields([{ path, text }])
    expect(breach).toStartWith(`${path} says ${word}: `)
    expect(more).toEqual([])
  })

  test.each([
    ['a word within another', 'src/core/a.ts', 'const bookkeeping = silent + spreadsheet'],
    ['a comment', 'src/core/a.ts', '// No parcel is lent.'],
    ['a text', 'src/core/a.ts', "const text = 'sheet'"],
    ['a test', 'src/core/a.test.ts', 'const parcel = 1'],
  ])('kept by %s', (_title, path, text) => {
    expect(wordsAreTheFields([{ path, text }])).toEqual([])
  })

  test('and where a word is still to be replaced, only that one may stand', () => {
    const files = [{ path: 'src/tables/a.ts', text: 'const sheet = wish' }]
    expect(wordsAreTheFields(files, { 'src/tables/': ['sheet'] })).toEqual([
      'src/tables/a.ts says wish: say requirement',
    ])
  })
})

describe('comments are sentences with a subject', () => {
  test.each([
    ['a line', '// What is kept is shown.'],
    ['a doc comment', '/** Those that wait. */\nexport const a = 1'],
    ['one over lines', '/**\n * Of its result,\n * in bytes.\n */'],
    ['a member', 'type A = {\n  /** Whose it is. */\n  team: string\n}'],
  ])('broken by %s', (_title, text) => {
    expect(commentsHaveSubjects([{ path: 'src/core/a.ts', text }])).toHaveLength(1)
  })

  test.each([
    ['a subject', '/** Bytes of its result. */'],
    ['a later sentence', '// It waits. What comes later waits too.'],
    ['a longer word', '// Often this is empty; Whatever.'],
    ['a text', "const title = '// What'"],
  ])('kept by %s', (_title, text) => {
    expect(commentsHaveSubjects([{ path: 'src/core/a.ts', text }])).toEqual([])
  })
})
