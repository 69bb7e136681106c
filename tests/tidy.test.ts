import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import * as form from './tidy/form-laws.ts'
import * as imports from './tidy/import-laws.ts'
import * as names from './tidy/name-laws.ts'
import * as packages from './tidy/package-laws.ts'
import type { SourceFile } from './tidy/source-text.ts'
import * as words from './tidy/word-laws.ts'

/** The first law parses every file, which takes a busy machine a while. */
setDefaultTimeout(180_000)

const ROOT = new URL('..', import.meta.url).pathname

describe('the laws of the house', () => {
  const files = projectFiles()

  test('there is a house to look at', () => {
    expect(imports.houseFiles(files).length).toBeGreaterThan(10)
  })

  test.each([
    ['imports go down, never up and never sideways', imports.importsGoDown],
    ['imports never circle', imports.importsNeverCircle],
    ['imports can be read', imports.importsAreReadable],
    ['core is pure', imports.coreIsPure],
    ['one file alone knows the drivers', imports.driversHaveOneUser],
    ['the dashboard stands apart', imports.dashboardStandsApart],
    ['the client stands alone', imports.clientStandsAlone],
    ['the development chains stand alone', imports.devnetStandsAlone],
    ['the development chains load late', imports.devnetLoadsLate],
    ['time, chance, environment, HTTP and SQL have one home each', form.wordsStayHome],
    ['files are at most 300 lines long', form.filesAreShort],
    ['folders hold 2 to 25 files', form.foldersHoldAFew],
    ['a small file is part of its only importer', form.noCrumbs],
    ['lines are at most 100 columns wide', form.linesAreShort],
    ['names say something', form.namesSaySomething],
  ])('%s', (_title, law) => {
    expect(law(files)).toEqual([])
  })

  test('a file is named after its main export', () => {
    const isDone = ({ path }: SourceFile) =>
      !names.ROOMS_TO_NAME.some((room) => path.startsWith(room))
    expect(names.filesAreNamedAfterExports(files.filter(isDone))).toEqual([])
  })

  test('no exported type name stands twice', () => {
    const breaches = names.typesHaveOneName(files)
    const isDone = (breach: string) => !names.TYPES_TO_NAME.has(breach.split(' ')[0] ?? '')
    expect(breaches.filter(isDone)).toEqual([])
  })

  test('names are the words of the field', () => {
    expect(words.wordsAreTheFields(files, words.WORDS_TO_REPLACE)).toEqual([])
  })

  test('comments are sentences with a subject', () => {
    const isDone = ({ path }: SourceFile) =>
      !words.ROOMS_TO_REWRITE.some((room) => path.startsWith(room))
    expect(words.commentsHaveSubjects(files.filter(isDone))).toEqual([])
  })

  test('functions are at most 60 lines long, which the linter measures', () => {
    expect(form.linterMeasuresFunctions(read('biome.json'))).toEqual([])
  })

  test('an installation is the same everywhere', () => {
    expect(packages.versionsAreExact(read('package.json'))).toEqual([])
    expect(packages.lockNamesNoRegistry(read('package-lock.json'))).toEqual([])
    expect(packages.chainBinariesInstall(read('package-lock.json'))).toEqual([])
    expect(packages.lockIsWhole(read('package-lock.json'))).toEqual([])
  })
})

function projectFiles(): SourceFile[] {
  const patterns = ['{src,scripts,tests,bench,dashboard}/**/*.{ts,tsx}', 'packages/*/src/**/*.ts']
  const paths = patterns.flatMap((one) => [...new Bun.Glob(one).scanSync({ cwd: ROOT })]).sort()
  return paths.map((path) => ({ path, text: read(path) }))
}

function read(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8')
}
