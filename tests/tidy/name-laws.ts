import { posix } from 'node:path'
import { houseFiles } from './import-laws.ts'
import { codeOf, type SourceFile } from './source-text.ts'

const EXPORT =
  /^export (?:declare )?(?:async )?(?:function\*?|const|let|class|type|interface|enum) (\w+)/gm
const EXPORTED_TYPE = /^export (?:class|type|interface|enum) (\w+)/gm
const EXPORT_LIST = /^export (?:type )?\{([^}]*)\}(?! from)/gm

/** A file with more exports than this has no main one: it is named after what they share. */
const EXPORTS_WITH_A_MAIN_MAX = 4

/** Rooms under reconstruction, where names are still to be put right. */
export const ROOMS_TO_NAME: string[] = []

/** Type names that stand twice until those rooms are done. */
export const TYPES_TO_NAME = new Set<string>()

/**
 * Law 7: one name, one type. A reader who searches for it finds one thing. What receiving apps
 * import is a package of its own, with the names that suit its readers.
 */
export function typesHaveOneName(files: readonly SourceFile[]): string[] {
  const homes = new Map<string, string[]>()
  for (const { path, text } of houseFiles(files)) {
    if (path.startsWith('src/receiver/')) continue
    for (const [, name = ''] of codeOf(text).matchAll(EXPORTED_TYPE)) {
      // A package has its own names, as libraries have.
      const key = path.startsWith('packages/') ? `${name} of a package` : name
      homes.set(key, [...(homes.get(key) ?? []), path])
    }
  }
  return [...homes]
    .filter(([, paths]) => paths.length > 1)
    .map(([name, paths]) => `${name} is a type in ${paths.join(' and in ')}`)
}

/**
 * Law 7: a file is named after its main export, so that each is found by the other. One of the
 * exported names holds all words of the file's name, in any order and form: `block-reader` may
 * hold `readBlock`. Words that the folder says already need not be said again.
 */
export function filesAreNamedAfterExports(files: readonly SourceFile[]): string[] {
  return houseFiles(files).flatMap(({ path, text }) => {
    const names = exportsOf(text)
    if (names.length === 0 || names.length > EXPORTS_WITH_A_MAIN_MAX) return []
    const folder = wordsOf(posix.dirname(path))
    const words = [...wordsOf(posix.basename(path).replace(/\..*$/, ''))]
    const said = words.some((word) => !folder.has(word))
    const wanted = said ? words.filter((word) => !folder.has(word)) : words
    const isMeant = (name: string) => wanted.every((word) => wordsOf(name).has(word))
    return names.some(isMeant) ? [] : [`${path} is named after none of ${names.join(', ')}`]
  })
}

function exportsOf(text: string): string[] {
  const code = codeOf(text)
  const names = [...code.matchAll(EXPORT)].map(([, name = '']) => name)
  for (const [, list = ''] of code.matchAll(EXPORT_LIST)) {
    names.push(...list.split(',').map((item) => item.trim().replace(/^.*\s/, '')))
  }
  return names.filter((name) => name !== '')
}

/** The words of a name in whatever case, each without its ending. */
function wordsOf(name: string): Set<string> {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
  return new Set(words.map(stemOf))
}

/** `caches`, `cached` and `cache` are one word; it need not be a word that anybody says. */
function stemOf(word: string): string {
  return word
    .replace(/ies$/, 'y')
    .replace(/(?<=[sxh])es$|(?<!s)s$/, '')
    .replace(/(?:ed|ing|er|or)$/, '')
    .replace(/e$/, '')
}
