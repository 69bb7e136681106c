import { Argument, Option } from 'commander'
import { type JsonSchema, typesOf } from '../../../core/schema/json-schema.ts'
import type { Operation } from '../../../http/contract/operation.ts'
import { onOrOff, several, wholeNumber } from '../call-command.ts'
import type { NamedList } from './find-named.ts'

export type InputWords = {
  /** The arguments: the name in the help, and the parameter or the member of the body. */
  arguments?: Readonly<Record<string, string>>
  /** Members of the body that have an option; all of them where nothing is said. */
  members?: readonly string[]
  /** The flags of a member, where those made of its name are not good. */
  flags?: Readonly<Record<string, string>>
  /** Members of the body that always have this value. */
  fixed?: Readonly<Record<string, unknown>>
  /** Members that the command finds out where they are not given. */
  found?: readonly string[]
  /** The list in which the first argument is looked up, by id or by name. */
  findIn?: NamedList
}

/** A parameter, or a member of the body; `allow.origins` is a member of a member. */
type Place = { path: string; schema: JsonSchema; isRequired: boolean; isParameter: boolean }

export type CallInputs = ReturnType<typeof callInputs>

export type CallRequest = { parameters: Record<string, unknown>; body: Record<string, unknown> }

/** An entry that empties a list which may be empty. */
const ANY = 'any'

export function callInputs(operation: Operation, words: InputWords) {
  const { arguments: named = {}, fixed = {}, found = [], flags = {} } = words
  const members = membersOf(operation.body?.schema ?? {})
  const parameters = Object.entries(operation.parameters).map(([path, parameter]) => {
    const schema = { ...parameter.schema, description: parameter.description }
    return { path, schema, isRequired: parameter.required, isParameter: true }
  })
  const taken = new Set([...Object.values(named), ...Object.keys(fixed)])
  const chosen = words.members ?? members.map(({ path }) => path)
  return {
    fixed,
    arguments: Object.entries(named).map(([name, path], at) => {
      const place = [...parameters, ...members].find((one) => one.path === path)
      if (!place) throw new Error(`broken invariant: ${operation.path} has no ${path}`)
      const argument = argumentOf(name, place)
      if (at === 0 && words.findIn) argument.description = 'its id or name'
      return { place, argument }
    }),
    options: members
      .filter(({ path }) => chosen.includes(path) && !taken.has(path))
      .map((place) => {
        const isRequired = place.isRequired && !found.includes(place.path)
        return { place, option: optionOf({ ...place, isRequired }, flags[place.path]) }
      }),
  }
}

export function requestOf(
  { arguments: named, options, fixed }: CallInputs,
  words: readonly unknown[],
  given: Readonly<Record<string, unknown>>,
): CallRequest {
  const request: CallRequest = { parameters: {}, body: { ...fixed } }
  const values = [
    ...named.map(({ place }, at) => ({ place, value: words[at] })),
    ...options.map(({ place, option }) => ({ place, value: given[option.attributeName()] })),
  ]
  for (const { place, value } of values) {
    if (value === undefined) continue
    if (place.isParameter) request.parameters[place.path] = value
    else setMember(request.body, place.path.split('.'), value)
  }
  return request
}

export function exampleLine(
  command: string,
  { arguments: named, options }: CallInputs,
  operation: Operation,
): string {
  const body = operation.body?.example
  const words = named.map(({ place }) => {
    const { path, isParameter } = place
    return isParameter ? operation.parameters[path]?.example : memberOf(body, path)
  })
  const set = options.flatMap(({ place, option }) => {
    const value = memberOf(body, place.path)
    if (value === undefined) return option.mandatory ? [option.flags] : []
    return [option.long, ...(option.required ? [shellText(value)] : [])]
  })
  return [command, ...words.map((word) => shellText(word ?? '…')), ...set].join(' ')
}

/** The members of an object; of an object in it, each one is a member of its own. */
function membersOf(schema: JsonSchema, before = ''): Place[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const path = before + name
    if (member.properties) return membersOf(member, `${path}.`)
    const isRequired = schema.required?.includes(name) === true
    return [{ path, schema: member, isRequired, isParameter: false }]
  })
}

function argumentOf(name: string, { schema, isRequired }: Place): Argument {
  const argument = new Argument(isRequired ? `<${name}>` : `[${name}]`, meaningOf(schema))
  return schema.enum ? argument.choices(textsOf(schema.enum)) : argument.argParser(readerOf(schema))
}

function optionOf({ path, schema, isRequired }: Place, flags = flagsOf(path, schema)): Option {
  const option = new Option(flags, meaningOf(schema)).makeOptionMandatory(isRequired)
  if (!option.required) return option
  return schema.enum ? option.choices(textsOf(schema.enum)) : option.argParser(readerOf(schema))
}

/** `is_active` is `--active <on-or-off>`, `delay_ms` is `--delay <ms>`. */
function flagsOf(path: string, schema: JsonSchema): string {
  const name = path.replace(/^is_/, '').replace(/_ms$/, '').replaceAll(/[._]/g, '-')
  return `--${name} <${schema.enum ? name : valueName(path, typesOf(schema))}>`
}

function valueName(path: string, types: readonly string[]): string {
  if (types.includes('boolean')) return 'on-or-off'
  if (types.includes('array')) return 'list'
  if (types.includes('integer')) return path.endsWith('_ms') ? 'ms' : 'number'
  return 'text'
}

function readerOf(schema: JsonSchema): (text: string, before: unknown) => unknown {
  const types = typesOf(schema)
  if (types.includes('boolean')) return onOrOff
  if (types.includes('integer')) return wholeNumber(schema.minimum ?? 0, schema.maximum)
  if (!types.includes('array')) return (text) => text
  return (text, before) => {
    const entries = several(text, (before ?? []) as string[])
    return schema.minItems ? entries : entries.filter((entry) => entry !== ANY)
  }
}

/** The first sentence of a description, as it is read in a terminal. */
function meaningOf(schema: JsonSchema): string {
  const { description = schema['x-form'] ?? '', default: preset } = schema
  const [first = ''] = description.replaceAll('`', '').split(/\.(?: |$)/, 1)
  const more = [
    typesOf(schema).includes('array') && !schema.minItems ? `, or ${ANY}` : '',
    preset === undefined ? '' : ` (default: ${preset})`,
  ]
  return `${first.charAt(0).toLowerCase()}${first.slice(1)}${more.join('')}`
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string')
}

function setMember(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    body[name] = value
    return
  }
  const inner = { ...(body[name] as Record<string, unknown> | undefined) }
  setMember(inner, rest, value)
  body[name] = inner
}

/** A value inside of nested objects; undefined where there is none. */
export function memberOf(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => {
    const isObject = typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
    return isObject ? (inner as Record<string, unknown>)[name] : undefined
  }, value)
}

function shellText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return /^[\w.,:/-]+$/.test(text) ? text : `"${text}"`
}
