import { Rejection } from '../../../core/errors.ts'
import { entityTag, isMatched } from '../../edge/entity-tag.ts'

/**
 * Refuses a change of what was changed since it was read; `reply` is how it would be answered now.
 * To be asked in the transaction of the change, so that no other comes between.
 */
export function refuseIfChanged(ifMatch: string | undefined, reply: unknown): Rejection | null {
  if (ifMatch === undefined || isMatched(ifMatch, entityTag(JSON.stringify(reply)))) return null
  const text = 'It was changed since it was read: If-Match does not name it as it is now.'
  return new Rejection('precondition_failed', text)
}
