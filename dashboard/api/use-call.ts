import { useEffect, useState } from 'preact/hooks'
import { callApi } from './call-api.ts'
import type { AnswerOf, CallId, ParametersOf } from './wire.ts'

/** The answer of a read as a page sees it: the last one stays while a newer one is under way. */
export type Reading<T> = {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload(): void
}

type Entry = {
  data: unknown
  error: unknown
  isLoading: boolean
  isStale: boolean
  /** Counts what was asked: an answer that a later question overtook is dropped. */
  asked: number
  watchers: Set<() => void>
}

/** Answers nobody looks at any more are kept up to this number, so that going back is instant. */
const KEPT_MAX = 100

/** The answer is the same for everybody, and stays when somebody signs in or out. */
const OF_NOBODY = 'getOpenApi '

const entries = new Map<string, Entry>()

/** Reads a call, shared by all parts that ask for the same; null parameters read nothing. */
export function useCall<Id extends CallId>(
  id: Id,
  parameters: ParametersOf<Id> | null = {},
): Reading<AnswerOf<Id>> {
  const key = parameters === null ? null : keyOf(id, parameters)
  const [, redraw] = useState(0)
  const drawn = key === null ? undefined : entries.get(key)?.data
  useEffect(() => {
    if (key === null) return
    const entry = entryOf(key)
    const watch = () => redraw((count) => count + 1)
    entry.watchers.add(watch)
    // An answer may have come after this part was drawn, when nobody watched it yet.
    if (entry.data !== drawn) watch()
    if (entry.isStale && !entry.isLoading) void load(key)
    return () => {
      entry.watchers.delete(watch)
      trim()
    }
  }, [key])
  const entry = key === null ? undefined : entries.get(key)
  return {
    data: entry?.data as AnswerOf<Id> | undefined,
    error: entry?.error,
    isLoading: key !== null && (entry?.isLoading ?? true),
    reload: () => key !== null && void load(key),
  }
}

/** Marks answers of these calls as old; those in view are read anew. */
export function invalidate(...ids: readonly CallId[]): void {
  for (const [key, entry] of entries) {
    if (!ids.some((id) => key.startsWith(`${id} `))) continue
    entry.isStale = true
    if (entry.watchers.size > 0) void load(key)
  }
}

/** Changes answers at once: of an action that is under way, or of an event that came. */
export function patchAnswers<Id extends CallId>(
  id: Id,
  change: (answer: AnswerOf<Id>, parameters: ParametersOf<Id>) => AnswerOf<Id>,
): void {
  for (const [key, entry] of entries) {
    if (!key.startsWith(`${id} `) || entry.data === undefined) continue
    entry.data = change(entry.data as AnswerOf<Id>, JSON.parse(key.slice(id.length + 1)))
    tell(entry)
  }
}

/** Another team looks now, whose answers are read anew, or nobody. */
export function forgetAnswers(next: 'another team' | 'nobody'): void {
  for (const [key, entry] of entries) {
    if (key.startsWith(OF_NOBODY)) continue
    Object.assign(entry, { data: undefined, error: undefined, isStale: true })
    entry.asked++
    if (entry.watchers.size === 0) entries.delete(key)
    else if (next === 'another team') void load(key)
    tell(entry)
  }
}

function keyOf(id: CallId, parameters: object): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  return `${id} ${JSON.stringify(Object.fromEntries(given.toSorted()))}`
}

function entryOf(key: string): Entry {
  const known = entries.get(key)
  if (known) return known
  const entry: Entry = {
    data: undefined,
    error: undefined,
    isLoading: false,
    isStale: true,
    asked: 0,
    watchers: new Set(),
  }
  entries.set(key, entry)
  return entry
}

async function load(key: string): Promise<void> {
  const entry = entryOf(key)
  entry.isLoading = true
  entry.isStale = false
  const turn = ++entry.asked
  const at = key.indexOf(' ')
  const parameters = JSON.parse(key.slice(at + 1))
  try {
    const data = await callApi(key.slice(0, at) as CallId, { parameters })
    if (turn !== entry.asked) return
    Object.assign(entry, { data, error: undefined })
  } catch (thrown) {
    if (turn !== entry.asked) return
    Object.assign(entry, { error: thrown, isStale: true })
  }
  entry.isLoading = false
  tell(entry)
}

function tell(entry: Entry): void {
  for (const watch of entry.watchers) watch()
}

function trim(): void {
  for (const [key, { watchers }] of entries) {
    if (entries.size <= KEPT_MAX) return
    if (watchers.size === 0) entries.delete(key)
  }
}
