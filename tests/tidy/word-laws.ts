import { posix } from 'node:path'
import { houseFiles } from './import-laws.ts'
import { codeOf, commentsOf, type SourceFile } from './source-text.ts'

/** Words that only we would understand, and the field's own for the same things. */
const PRIVATE_WORDS: Readonly<Record<string, string>> = {
  astray: 'diverged',
  bag: 'small set',
  bond: 'fingerprint',
  book: 'registry, table or cache',
  converse: 'exchange',
  deaf: 'unsubscribe',
  desk: 'scheduler',
  errand: 'request',
  'give back': 'release',
  glue: 'prefix',
  habit: 'trait',
  hearer: 'listener',
  hopeful: 'retryable',
  'in hand': 'buffered',
  keeper: 'maintainer',
  lent: 'shared',
  'let go': 'release',
  letter: 'state',
  obey: 'serve',
  parcel: 'attempt',
  poke: 'poll now',
  pump: 'dispatch loop',
  restless: 'volatile',
  roomy: 'with headroom',
  sheet: 'delivery row',
  sketch: 'Bloom filter',
  tend: 'maintain',
  tile: 'key range',
  turnstile: 'mutex',
  unfit: 'invalid',
  vacancy: 'free range',
  vain: 'failed',
  wish: 'requirement',
}

/** Words that are still to be replaced, by room. A room that is done leaves the list. */
export const WORDS_TO_REPLACE: Readonly<Record<string, readonly string[]>> = {}

/** Openings of comments that say something about a thing without naming it. */
const RELATIVE = /^(?:What|Those|Of|Who|Whoever|Whose|So many)\b/

/** Rooms whose comments are still to be rewritten. */
export const ROOMS_TO_REWRITE: readonly string[] = []

/** Law 8: every name is the field's own word, in identifiers and in the names of files. */
export function wordsAreTheFields(
  files: readonly SourceFile[],
  left: Readonly<Record<string, readonly string[]>> = {},
): string[] {
  return houseFiles(files).flatMap(({ path, text }) => {
    const room = Object.keys(left).find((name) => path.startsWith(name))
    const names = [posix.basename(path), ...(codeOf(text).match(/[A-Za-z_$][\w$]*/g) ?? [])]
    const said = [...new Set(names)].map(wordsOf).join('\n')
    return Object.entries(PRIVATE_WORDS)
      .filter(([word]) => room === undefined || !left[room]?.includes(word))
      .filter(([word]) => new RegExp(`^(?:.* )?${word}(?: .*)?$`, 'm').test(said))
      .map(([word, better]) => `${path} says ${word}: say ${better}`)
  })
}

/** Law 8: a comment is a sentence with a subject, so none opens with a relative. */
export function commentsHaveSubjects(files: readonly SourceFile[]): string[] {
  return houseFiles(files).flatMap(({ path, text }) =>
    commentsOf(text)
      .filter((comment) => RELATIVE.test(comment))
      .map((comment) => `${path} has a comment without a subject: ${comment.split('\n')[0]}`),
  )
}

/** The words of a name, in the singular. */
function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[^A-Za-z0-9]+/g, ' ')
  return spaced.toLowerCase().replace(/(?<=[sx]h)es\b|(?<!s)s\b/g, '')
}
