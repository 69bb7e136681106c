import { closestName } from '../closest-name.ts'
import {
  canonicalJson,
  fieldName,
  hasJsonType,
  isJsonObject,
  JSON_DEPTH_MAX,
  type JsonPath,
  type JsonType,
} from '../json/json-value.ts'
import { type JsonSchema, typesOf } from './json-schema.ts'

export type SchemaFault = { path: (string | number)[]; message: string }

/** The severity of a fault; decides which branch of an anyOf came closest. */
type Weight = 'wrong_type' | 'wrong_choice' | 'detail'

type Weighed = SchemaFault & { weight: Weight }

/** One walk through a value; all its branches share the visits. */
type Walk = { visitsLeft: number }

/** Nobody repairs more than this at once, and an answer stays small. */
const FAULTS_MAX = 20

/** Values looked at, once for each branch: bounds the work that a small text can ask for. */
const VISITS_MAX = 200_000

/** Each outweighs all the faults of the lesser sort that one branch can have. */
const WRONG_CHOICE_WEIGHT = 1000
const WRONG_TYPE_WEIGHT = 1_000_000

const TYPE_WORDS: Record<JsonType, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
}

/**
 * The faults of a value, at most 20. Messages name the field and what is allowed,
 * never the value: it may be a secret.
 */
export function checkSchema(schema: JsonSchema, value: unknown): SchemaFault[] {
  const walk = { visitsLeft: VISITS_MAX }
  const found = check(walk, schema, value, [])
  // A branch that could not be looked at must not pass for one that does not fit.
  const faults = walk.visitsLeft < 0 ? fault([], 'is too large to be checked') : found
  return faults.slice(0, FAULTS_MAX).map(({ path, message }) => ({ path, message }))
}

function check(walk: Walk, schema: JsonSchema, value: unknown, path: JsonPath): Weighed[] {
  if (--walk.visitsLeft < 0) return fault(path, 'is too large to be checked')
  if (path.length > JSON_DEPTH_MAX) {
    return fault(path, `is nested deeper than ${JSON_DEPTH_MAX} levels`)
  }

  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => hasJsonType(value, type))) {
    return fault(path, `must be ${typeWords(types)}`, 'wrong_type')
  }
  const choices = schema.const === undefined ? schema.enum : [schema.const]
  if (choices && !includesJson(choices, value)) {
    return fault(path, `must be ${choiceWords(choices)}`, 'wrong_choice')
  }

  const faults = checkContent(walk, schema, value, path)
  if (schema.anyOf) faults.push(...checkBranches(walk, schema.anyOf, value, path))
  return faults
}

function fault(path: JsonPath, said: string, weight: Weight = 'detail'): Weighed[] {
  return [{ path: [...path], message: `${fieldName(path)} ${said}`, weight }]
}

function checkContent(walk: Walk, schema: JsonSchema, value: unknown, path: JsonPath): Weighed[] {
  if (typeof value === 'string') return checkString(schema, value, path)
  if (typeof value === 'number') return checkNumber(schema, value, path)
  if (Array.isArray(value)) return checkList(walk, schema, value, path)
  if (isJsonObject(value)) return checkObject(walk, schema, value, path)
  return []
}

function checkString(schema: JsonSchema, value: string, path: JsonPath): Weighed[] {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema
  // A character has one or two units, so most texts need not be counted.
  const isShort = value.length < 2 * minLength && codePointsOf(value) < minLength
  if (isShort && minLength === 1) return fault(path, 'must not be empty')
  if (isShort) return fault(path, `must have at least ${minLength} characters`)
  const isLong = value.length > maxLength && codePointsOf(value) > maxLength
  if (isLong) return fault(path, `must have at most ${maxLength} characters`)
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return []
  return fault(path, schema['x-form'] ? `must be ${schema['x-form']}` : `must match ${pattern}`)
}

function checkNumber(schema: JsonSchema, value: number, path: JsonPath): Weighed[] {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (value < minimum) return fault(path, `must be at least ${minimum}`)
  if (value > maximum) return fault(path, `must be at most ${maximum}`)
  // Beyond 2^53 the digits that were written are already lost.
  const exact = !typesOf(schema).includes('integer') || Number.isSafeInteger(value)
  return exact ? [] : fault(path, 'must be a whole number below 2^53')
}

function checkList(walk: Walk, schema: JsonSchema, list: unknown[], path: JsonPath): Weighed[] {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items, uniqueItems } = schema
  if (list.length < minItems) return fault(path, `must have at least ${counted(minItems)}`)
  if (list.length > maxItems) return fault(path, `must have at most ${counted(maxItems)}`)

  const faults: Weighed[] = []
  for (let at = 0; items && at < list.length && faults.length < FAULTS_MAX; at++) {
    faults.push(...check(walk, items, list[at], [...path, at]))
  }
  if (!uniqueItems || faults.length > 0) return faults

  const seen = new Set<string>()
  for (const [at, item] of list.entries()) {
    if (faults.length >= FAULTS_MAX) break
    const text = canonicalJson(item)
    if (seen.has(text)) faults.push(...fault([...path, at], 'repeats an earlier entry'))
    seen.add(text)
  }
  return faults
}

function checkObject(
  walk: Walk,
  schema: JsonSchema,
  value: Readonly<Record<string, unknown>>,
  path: JsonPath,
): Weighed[] {
  const { required = [], maxProperties = Number.POSITIVE_INFINITY } = schema
  const names = Object.keys(value)
  if (names.length > maxProperties) {
    return fault(path, `must have at most ${counted(maxProperties)}`)
  }
  const faults = required
    .filter((name) => !Object.hasOwn(value, name))
    .flatMap((name) => fault([...path, name], 'is required'))
  for (const name of names) {
    if (faults.length >= FAULTS_MAX) break
    faults.push(...checkMember(walk, schema, name, value[name], [...path, name]))
  }
  return faults
}

function checkMember(
  walk: Walk,
  schema: JsonSchema,
  name: string,
  member: unknown,
  path: JsonPath,
): Weighed[] {
  const { properties = {}, additionalProperties = true, propertyNames } = schema
  if (Object.hasOwn(properties, name)) return check(walk, properties[name]!, member, path)
  if (additionalProperties === false) {
    const meant = closestName(name, Object.keys(properties))
    return fault(path, `is not an option${meant ? `; did you mean ${meant}?` : ''}`)
  }
  const faults = propertyNames ? check(walk, propertyNames, name, path) : []
  if (faults.length > 0 || additionalProperties === true) return faults
  return check(walk, additionalProperties, member, path)
}

/** At least one branch must fit; otherwise the closest one says why not. */
function checkBranches(
  walk: Walk,
  branches: readonly JsonSchema[],
  value: unknown,
  path: JsonPath,
): Weighed[] {
  const tries = branches.map((branch) => check(walk, branch, value, path))
  if (tries.some((faults) => faults.length === 0)) return []

  const isOwnType = (first: Weighed) =>
    first.weight === 'wrong_type' && first.path.length === path.length
  if (tries.every((faults) => isOwnType(faults[0]!))) {
    return fault(path, `must be ${typeWords(branches.flatMap(typesOf))}`, 'wrong_type')
  }
  const weigh = (faults: readonly Weighed[]) =>
    faults.reduce((sum, one) => sum + weightOf(one, one.path.length - path.length), 0)
  return tries.reduce((best, faults) => (weigh(faults) < weigh(best) ? faults : best))
}

/** A value of another type, or a `kind` of another name, belongs to another branch. */
function weightOf({ weight }: Weighed, levelsBelow: number): number {
  if (weight === 'wrong_type' && levelsBelow === 0) return WRONG_TYPE_WEIGHT
  if (weight === 'wrong_choice' && levelsBelow <= 1) return WRONG_CHOICE_WEIGHT
  return 1
}

function typeWords(types: readonly JsonType[]): string {
  return [...new Set(types)].map((type) => TYPE_WORDS[type]).join(' or ')
}

function includesJson(choices: readonly unknown[], value: unknown): boolean {
  const text = canonicalJson(value)
  return choices.some((choice) => canonicalJson(choice) === text)
}

function choiceWords(choices: readonly unknown[]): string {
  const words = choices.map((choice) =>
    typeof choice === 'string' ? choice : JSON.stringify(choice),
  )
  return words.length === 1 ? words.join() : `one of ${words.join(', ')}`
}

function counted(entries: number): string {
  return entries === 1 ? 'one entry' : `${entries} entries`
}

/** JSON Schema counts characters, not UTF-16 units. */
function codePointsOf(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
