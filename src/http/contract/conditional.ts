import { choice, text } from '../../core/schema/schema.ts'
import { type CallAnswer, header, query } from './operation.ts'

/** A client that knows more tags than fit has read the thing too often. */
const TAGS_CHARS_MAX = 1000

const TAG = '(W/)?"[!#-~]*"'

const ENTITY_TAGS = text({
  maxLength: TAGS_CHARS_MAX,
  pattern: `^(\\*|${TAG}([ \\t]*,[ \\t]*${TAG})*)$`,
  'x-form': '* or entity tags in quotes, separated by commas',
})

/** Creates that may be repeated. */
export const BY_NAME = {
  by_name: query(
    '`true` makes nothing where one of this name is there already: it is answered if all that is ' +
      'given is equal, and otherwise refused with 409. Two calls at the same time make one.',
    choice(['true', 'false']),
  ),
}

export const IF_MATCH = {
  'If-Match': header(
    'The `ETag` of an answer: the change is refused with 412 if it was changed since. `*` is ' +
      'whatever is there.',
    ENTITY_TAGS,
  ),
}

export const IF_NONE_MATCH = {
  'If-None-Match': header(
    'The `ETag` of an answer: if it is still that, 304 comes without a body.',
    ENTITY_TAGS,
  ),
}

export const CONFLICT = {
  '409':
    '`Conflict`: with `by_name`, the one of this name differs, or several have it. The message ' +
    'names the first field.',
}

export const CHANGED_SINCE = {
  '412': '`PreconditionFailed`: it is not what `If-Match` names any more.',
}

export function tagged<T>(answer: CallAnswer<T>): CallAnswer<T> {
  const ETag = text('Changes with any part of the answer; for `If-Match` and `If-None-Match`.')
  return { ...answer, headers: { ...answer.headers, ETag } }
}
