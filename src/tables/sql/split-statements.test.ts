import { describe, expect, test } from 'bun:test'
import { splitStatements } from './split-statements.ts'

describe('a script is cut at its semicolons and nowhere else', () => {
  test.each([
    ['an empty script', '', []],
    ['only blanks, comments and semicolons', ' ;; -- a;b\n /* c;d */ ;', []],
    ['a last statement without semicolon', 'A; B', ['A', 'B']],
    ['a semicolon in a text', "A 'x;y'; B", ["A 'x;y'", 'B']],
    ['a doubled quote in a text', "A 'it''s; fine'; B", ["A 'it''s; fine'", 'B']],
    ['a semicolon in a name', 'A "x;""y"; B', ['A "x;""y"', 'B']],
    ['a semicolon in a comment', 'A -- x;y\n, C; B', ['A  \n, C', 'B']],
    ['a quote in a comment', "A -- it's\n; B /* don't; */ C", ['A', 'B   C']],
    ['a comment sign in a text', "A '--'; B '/*'; C", ["A '--'", "B '/*'", 'C']],
    ['minus and division', 'A 1 - 2 / 3; B', ['A 1 - 2 / 3', 'B']],
    ['a comment at the very end', 'A; -- done', ['A']],
  ])('%s', (_, script, statements) => {
    expect(splitStatements(script)).toEqual(statements)
  })
})

test.each([["A 'x; B"], ['A "x; B'], ['A /* x; B'], ["A ''' ; B"]])(
  'a script with an open end is refused: %s',
  (script) => {
    expect(() => splitStatements(script)).toThrow('has no end')
  },
)
