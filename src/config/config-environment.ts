import { closestName } from '../core/closest-name.ts'
import { isJsonObject, type JsonPath } from '../core/json/json-value.ts'
import { type JsonSchema, typesOf } from '../core/schema/json-schema.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export type Override = { variable: string; path: JsonPath }

type EnvironmentFault = { variable: string; message: string }

type Overridden = {
  value: Record<string, unknown>
  overrides: Override[]
  faults: EnvironmentFault[]
}

type Option = { path: JsonPath; schema: JsonSchema }

type Options = Map<string, Option[]>

const PREFIX = 'HEADGATE'

/** Names the file, so it is no option of the file. */
const FILE_VARIABLE = 'HEADGATE_CONFIG'

/** The deepest option is a method's credits: networks[0].upstreams[0].budget.credits.name. */
const PATH_PARTS_MAX = 7

const FAULTS_MAX = 20

/**
 * Lays the variables over what the file says. Whole lists and objects go first,
 * so that a variable for one member reaches into them.
 */
export function applyEnvironment(
  schema: JsonSchema,
  fileValue: Record<string, unknown>,
  environment: Environment,
): Overridden {
  // An empty variable counts as unset: that is how a blank line in an .env file arrives.
  const pending = new Set(
    Object.keys(environment).filter(
      (name) => name.startsWith(`${PREFIX}_`) && name !== FILE_VARIABLE && environment[name] !== '',
    ),
  )
  const result: Overridden = { value: fileValue, overrides: [], faults: [] }
  for (let parts = 1; parts <= PATH_PARTS_MAX && pending.size > 0; parts++) {
    const options = optionsOf(schema, result.value)
    for (const variable of pending) {
      const named = options.get(variable)
      if (named?.[0]?.path.length !== parts) continue
      pending.delete(variable)
      apply(result, variable, named, environment[variable] ?? '')
    }
  }
  if (pending.size > 0) {
    const known = [...optionsOf(schema, result.value).keys(), FILE_VARIABLE]
    for (const variable of [...pending].slice(0, FAULTS_MAX)) {
      result.faults.push({ variable, message: unknownWords(variable, known) })
    }
  }
  return result
}

function apply(result: Overridden, variable: string, options: Option[], text: string): void {
  const option = options[0]!
  if (options.length > 1) {
    const message = `${variable} could mean more than one option; set them in the file`
    result.faults.push({ variable, message })
    return
  }
  const parsed = parseText(option.schema, text)
  if (parsed === 'not_json') {
    result.faults.push({ variable, message: `${variable} must be valid JSON` })
    return
  }
  result.value = withMember(result.value, option.path, parsed.value) as Record<string, unknown>
  result.overrides.push({ variable, path: option.path })
}

function unknownWords(variable: string, known: readonly string[]): string {
  // All names begin alike, so only what follows says how close they are.
  const tail = (name: string) => name.slice(PREFIX.length)
  const meant = closestName(tail(variable), known.map(tail))
  if (meant) return `${variable} is not an option; did you mean ${PREFIX}${meant}?`
  const members = ['NETWORKS', 'TIERS', 'PRICES'].find((list) =>
    variable.startsWith(`${PREFIX}_${list}_`),
  )
  if (!members) return `${variable} is not an option`
  return `${variable} is not an option of anything in ${members.toLowerCase()}`
}

function optionsOf(schema: JsonSchema, value: unknown): Options {
  const options: Options = new Map()
  collect(options, schema, value, PREFIX, [])
  return options
}

/** Every option under its variable: what the schema names, and what the value has more of. */
function collect(
  options: Options,
  schema: JsonSchema,
  value: unknown,
  prefix: string,
  path: JsonPath,
): void {
  for (const [label, part, member] of membersOf(schema, value)) {
    const words = upperSnake(label)
    if (words === '') continue
    const variable = `${prefix}_${words}`
    const here = [...path, part]
    const others = options.get(variable)
    if (others) others.push({ path: here, schema: member })
    else options.set(variable, [{ path: here, schema: member }])
    collect(options, member, memberOf(value, part), variable, here)
  }
}

type Member = [label: string, part: string | number, schema: JsonSchema]

function membersOf(schema: JsonSchema, value: unknown): Member[] {
  const { items, properties = {}, additionalProperties } = schema
  if (items) return Array.isArray(value) ? listMembers(items, value, schema.maxItems) : []
  const named = Object.entries(properties).map(([name, member]): Member => [name, name, member])
  if (!isJsonObject(additionalProperties) || !isJsonObject(value)) return named
  const added = Object.keys(value)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, schema.maxProperties)
    .map((name): Member => [name, name, additionalProperties])
  return [...named, ...added]
}

/** Members of a list go by their id or name, which itself is therefore no option. */
function listMembers(items: JsonSchema, list: unknown[], membersMax: number | undefined): Member[] {
  const { id, name, ...properties } = items.properties ?? {}
  const labelKey = id ? 'id' : name ? 'name' : undefined
  if (labelKey === undefined) return []
  const member = { ...items, properties: id && name ? { ...properties, name } : properties }
  return list.slice(0, membersMax).flatMap((entry, at): Member[] => {
    const label = memberOf(entry, labelKey)
    return typeof label === 'string' ? [[label, at, member]] : []
  })
}

function memberOf(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return value[Number(part)]
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined
}

/** retryDelaysMs becomes RETRY_DELAYS_MS, node-a becomes NODE_A. */
function upperSnake(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
}

/** Text that is not of the option's type stays text, for the schema to complain about. */
function parseText(schema: JsonSchema, text: string): { value: unknown } | 'not_json' {
  const types = typesOf(schema)
  const isList = types.includes('array')
  if ((isList || types.includes('object')) && /^\s*[[{]/.test(text)) return parseJson(text)
  if (isList && schema.items && !typesOf(schema.items).includes('object')) {
    const { items } = schema
    return { value: text.split(',').map((item) => parseScalar(items, item.trim())) }
  }
  return { value: parseScalar(schema, text) }
}

function parseJson(text: string): { value: unknown } | 'not_json' {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return 'not_json'
  }
}

function parseScalar(schema: JsonSchema, text: string): unknown {
  const types = typesOf(schema)
  if (types.includes('null') && text === 'null') return null
  if (types.includes('boolean') && (text === 'true' || text === '1')) return true
  if (types.includes('boolean') && (text === 'false' || text === '0')) return false
  if (types.includes('integer') && /^-?\d+$/.test(text)) return Number(text)
  if (types.includes('number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  return text
}

/** A copy with one member set. Values of the file may be shared by aliases, so none is changed. */
function withMember(value: unknown, path: JsonPath, member: unknown): unknown {
  const [part, ...rest] = path
  if (part === undefined) return member
  if (Array.isArray(value)) {
    return value.map((item, at) => (at === part ? withMember(item, rest, member) : item))
  }
  // A value of the wrong type stays as it is; the schema will say so.
  if (value !== undefined && !isJsonObject(value)) return value
  const members = new Map(Object.entries(value ?? {}))
  members.set(String(part), withMember(members.get(String(part)), rest, member))
  return Object.fromEntries(members)
}
