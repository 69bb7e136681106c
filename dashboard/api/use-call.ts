import type { AnswerOf, CallId, ParametersOf } from '@headgate/client'
import { useEffect, useState } from 'preact/hooks'
import { callApi } from './call-api.ts'
import { keyOf, openCallCache } from './call-cache.ts'

/** The answer of a read as a page sees it: the last one stays while a newer one is under way. */
export type Reading<T> = {
  data: T | undefined
  error: unknown
  isLoading: boolean
  reload(): void
}

/** Answers nobody looks at any more are kept up to this number, so that going back is instant. */
const KEPT_MAX = 100

const cache = openCallCache((id, parameters) => callApi(id as CallId, { parameters }), KEPT_MAX)

/** Reads a call, shared by all parts that ask for the same; null parameters read nothing. */
export function useCall<Id extends CallId>(
  id: Id,
  parameters: ParametersOf<Id> | null = {},
): Reading<AnswerOf<Id>> {
  const key = parameters === null ? null : keyOf(id, parameters)
  const [, redraw] = useState(0)
  const drawn = key === null ? undefined : cache.peek(key)?.data
  useEffect(() => {
    if (key === null) return
    const watch = () => redraw((count) => count + 1)
    const stop = cache.watch(key, watch)
    // An answer may have come after this part was drawn, when nobody watched it yet.
    if (cache.peek(key)?.data !== drawn) watch()
    return stop
  }, [key])
  const entry = key === null ? undefined : cache.peek(key)
  return {
    data: entry?.data as AnswerOf<Id> | undefined,
    error: entry?.error,
    isLoading: key !== null && (entry?.isLoading ?? true),
    reload: () => key !== null && void cache.load(key),
  }
}

/** Marks answers of these calls as old; those in view are read anew. */
export function invalidate(...ids: readonly CallId[]): void {
  cache.invalidate(ids)
}

/** Changes answers at once: of an action that is under way, or of an event that came. */
export function patchAnswers<Id extends CallId>(
  id: Id,
  change: (answer: AnswerOf<Id>, parameters: ParametersOf<Id>) => AnswerOf<Id>,
): void {
  cache.patch(id, (answer, parameters) =>
    change(answer as AnswerOf<Id>, parameters as ParametersOf<Id>),
  )
}

export function forgetAnswers(next: 'another team' | 'nobody'): void {
  cache.forget(next)
}
