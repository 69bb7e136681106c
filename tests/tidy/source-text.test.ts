// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are code, looked at, not run.

import { describe, expect, test } from 'bun:test'
import { codeOf, columnsOf, importsOf } from './source-text.ts'

describe('the code of a file', () => {
  test.each([
    ['a comment to the end of the line', 'a // HIDDEN "\nb', ['a', 'b']],
    ['a comment over lines', 'a /* HIDDEN\n* ` HIDDEN */ b', ['a', 'b']],
    ['strings', `a = 'HIDDEN' + "HIDDEN"; b`, ['a', 'b']],
    ['a string with its own quote', `a = 'it\\'s HIDDEN'; b`, ['a', 'b']],
    ['a string that ends in a backslash', `a = '\\\\'; b`, ['a', 'b']],
    ['a string that looks like a comment', `a = '// HIDDEN'; b`, ['a', 'b']],
    ['a template', 'a = `HIDDEN ${b} HIDDEN ${c}`; d', ['a', 'b', 'c', 'd']],
    ['a template in a template', 'a = `HIDDEN ${b(`HIDDEN ${c}`)} HIDDEN`; d', ['b', 'c', 'd']],
    ['an object in a template', 'a = `HIDDEN ${b({ c: {} })} HIDDEN`; d', ['b', 'c', 'd']],
    ['a template with an escaped opening', 'a = `\\${HIDDEN}`; b', ['a', 'b']],
    ['a regular expression', "a = /HIDDEN'/.test(b)", ['a', 'b']],
    ['a slash in a class of one', 'a = /[/]HIDDEN\\//; b', ['a', 'b']],
    ['one behind return', '() => { return /HIDDEN`/g.test(b) }', ['return', 'b']],
    ['one behind a bracket', "if (a) /HIDDEN'/.test(b)", ['a', 'b']],
    ['division', "a = b / c / d; e = 'HIDDEN'", ['b', 'c', 'd', 'e']],
    ['division behind a bracket', "a = (b) / c[0] / d; e = 'HIDDEN'", ['b', 'c', 'd', 'e']],
    ['a type', "let a: 'HIDDEN' | `HIDDEN${b}`", ['a', 'b']],
    ['a component', '(a: A) => <p class="HIDDEN">HIDDEN {b}</p>', ['a', 'b']],
  ])('is told from %s', (_title, text, seen) => {
    const code = codeOf(text)
    expect(code).not.toContain('HIDDEN')
    for (const word of seen) expect(code).toMatch(new RegExp(`\\b${word}\\b`))
    expect(code).toHaveLength(text.length)
  })

  test.each(['a /* b', "a = 'b\nc", 'a = `b', 'a = ('])('is not guessed at: %s', (text) => {
    expect(() => codeOf(text)).toThrow('cannot be parsed')
  })

  test('is measured without the insides of strings, but with its comments', () => {
    expect(columnsOf("a = 'xxxx'\n// xxxx\n\n`xx${b}xx`")).toEqual([6, 7, 0, 6])
  })
})

describe('the imports of a file', () => {
  test.each([
    ['a value', "import { a } from './a.ts'", './a.ts', 'static'],
    ['over several lines', "import {\n  a,\n  b,\n} from './a.ts'", './a.ts', 'static'],
    ['everything', 'import * as a from "./a.ts"', './a.ts', 'static'],
    ['passed on', "export { a } from './a.ts'", './a.ts', 'static'],
    ['all passed on', "export * from './a.ts'", './a.ts', 'static'],
    ['types', "import type { A } from './a.ts'", './a.ts', 'type'],
    ['types passed on', "export type { A } from './a.ts'", './a.ts', 'type'],
    // The compiler leaves an empty import behind, so the file is loaded.
    ['types one by one', "import { type A } from './a.ts'", './a.ts', 'static'],
    ['a file for what it does', "import './a.ts'", './a.ts', 'static'],
    ['text', "import a from './a.sql' with { type: 'text' }", './a.sql', 'static'],
    ['lazily', "const { a } = await import('./a.ts')", './a.ts', 'lazy'],
    ['lazily over lines', "await import(\n  './a.ts'\n)", './a.ts', 'lazy'],
    ['a type in place', "let a: import('./a.ts').A", './a.ts', 'lazy'],
    ['the old way', "const a = require('./a.ts')", './a.ts', 'lazy'],
  ])('are found: %s', (_title, text, specifier, kind) => {
    expect(importsOf(text)).toEqual([{ specifier, kind } as never])
  })

  test('do not include what only looks like one', () => {
    const text = `
      // import { a } from './a.ts'
      const from = 'x'
      const text = "import { a } from './a.ts'"
      Array.from('abc')
      export const b = 1`
    expect(importsOf(text)).toEqual([])
  })

  test('include those that hide their target', () => {
    expect(importsOf('await import(path)')).toEqual([null])
    expect(importsOf('await import(`./${name}.ts`)')).toEqual([null])
  })

  test('keep their kinds apart in one file', () => {
    const text = "import type { A } from './a.ts'\nexport const x = 1\nexport { b } from './b.ts'"
    expect(importsOf(text)).toEqual([
      { specifier: './a.ts', kind: 'type' },
      { specifier: './b.ts', kind: 'static' },
    ])
  })
})
