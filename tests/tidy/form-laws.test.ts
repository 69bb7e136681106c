import { describe, expect, test } from 'bun:test'
import * as form from './form-laws.ts'

describe('the laws of form', () => {
  test('a folder of 26 files, tests not counted, and a folder of one', () => {
    const files = Array.from({ length: 26 }, (_, at) => ({ path: `src/http/a${at}.ts`, text: '' }))
    const test = { path: 'src/http/a.test.ts', text: '' }
    expect(form.foldersHoldAFew([...files, test])).toEqual(['src/http has 26 files'])
    expect(form.foldersHoldAFew([...files.slice(1), test])).toEqual([])
    const pages = files.map(({ path, text }) => ({ path: path.replace('src', 'dashboard'), text }))
    expect(form.foldersHoldAFew(pages)).toEqual(['dashboard/http has 26 files'])
    const journeys = files.map((_, at) => ({ path: `tests/journeys/a${at}.test.ts`, text: '' }))
    expect(form.foldersHoldAFew(journeys)).toEqual(['tests/journeys has 26 files'])
    const [first = test, second = test] = files
    expect(form.foldersHoldAFew([first, test])).toEqual(['src/http holds a single file'])
    const below = { path: 'src/http/api/b0.ts', text: '' }
    const beside = { path: 'src/http/api/b1.ts', text: '' }
    expect(form.foldersHoldAFew([first, below, beside])).toEqual([])
    expect(form.foldersHoldAFew([first, second])).toEqual([])
  })

  test('a crumb beside its only importer', () => {
    const crumb = { path: 'src/http/crumb.ts', text: `export const x = 1${'\n'.repeat(38)}//` }
    const importer = { path: 'src/http/a.ts', text: "import { x } from './crumb.ts'" }
    expect(form.noCrumbs([crumb, importer])).toEqual([
      'src/http/crumb.ts (39 lines) belongs in src/http/a.ts',
    ])
    const longer = { ...crumb, text: `${crumb.text}\n//` }
    expect(form.noCrumbs([longer, importer])).toEqual([])
    const full = { ...importer, text: `${importer.text}${'\n'.repeat(261)}//` }
    expect(form.noCrumbs([crumb, full])).toEqual([])
    const elsewhere = { path: 'src/cli/b.ts', text: "import { x } from '../http/crumb.ts'" }
    expect(form.noCrumbs([crumb, importer, elsewhere])).toEqual([])
    expect(form.noCrumbs([crumb, elsewhere])).toEqual([])
    const itsTest = { path: 'src/http/crumb.test.ts', text: "import { x } from './crumb.ts'" }
    expect(form.noCrumbs([crumb, importer, itsTest])).toHaveLength(1)
    const program = { ...crumb, text: 'start()' }
    expect(form.noCrumbs([program, importer])).toEqual([])
    const lazy = { ...importer, text: "await import('./crumb.ts')" }
    expect(form.noCrumbs([crumb, lazy])).toEqual([])
  })
})
