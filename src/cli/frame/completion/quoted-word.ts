import type { CompletedPlace } from './command-tree.ts'

/** Options that take the same values, as the pattern of a case. */
type ValueCase = { patterns: string; choices: readonly string[]; isFile: boolean }

/** A word that the shell takes as it is. */
export function quotedWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** The paths of all commands, as the pattern of a case. */
export function pathPatterns(places: readonly CompletedPlace[]): string {
  const paths = places.map(({ path }) => path).filter((path) => path !== '')
  return paths.map(quotedWord).join(' | ')
}

/** The options that take a value, by the values that they take. */
export function valuesBy(places: readonly CompletedPlace[]): ValueCase[] {
  const all = places.flatMap(({ path, options }) =>
    options.flatMap(({ value }) => (value === null ? [] : [{ path, ...value }])),
  )
  const alike = Map.groupBy(all, ({ choices, isFile }) => JSON.stringify([choices, isFile]))
  return [...alike.values()].map((group) => ({
    patterns: group.map(({ path, flag }) => quotedWord(`${path} ${flag}`)).join(' | '),
    choices: group[0]?.choices ?? [],
    isFile: group[0]?.isFile ?? false,
  }))
}
