import { assert, Rejection } from '../../../core/errors.ts'

type GivenField = readonly [name: string, given: unknown, present: unknown]

/**
 * The one that has the name, if it is what is asked for: fields that are not given may be
 * anything, and lists may be in any order.
 */
export function sameNamed<T>(
  named: readonly T[],
  { id, fields }: { id(found: T): string; fields(found: T): readonly GivenField[] },
): T | Rejection {
  const [found, another] = named
  assert(found !== undefined, 'somebody has the name')
  if (another !== undefined) {
    return new Rejection('conflict', 'name: several have this name, so it does not say which.')
  }
  const differing = fields(found).find(([, given, present]) => !isSame(given, present))
  if (!differing) return found
  const [name] = differing
  return new Rejection('conflict', `${name}: ${id(found)}, which has this name, differs.`)
}

function isSame(given: unknown, present: unknown): boolean {
  return given === undefined || textOf(given) === textOf(present)
}

function textOf(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : value)
}
