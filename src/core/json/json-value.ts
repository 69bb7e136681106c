export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

export type JsonPath = readonly (string | number)[]

/** Deeper than any honest document; a hostile one must not reach the end of the stack. */
export const JSON_DEPTH_MAX = 64

const NAME_SHOWN_CHARS_MAX = 64

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function hasJsonType(value: unknown, type: JsonType): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isJsonObject(value)
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'number') return Number.isFinite(value)
  return typeof value === type
}

/** The value of a text; undefined for one that is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * One text for equal values, whatever the order of their members. Below 64
 * levels everything counts as equal.
 */
export function canonicalJson(value: unknown, depth = 0): string {
  if (depth > JSON_DEPTH_MAX) return '…'
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item, depth + 1)).join()}]`
  }
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'undefined'
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name], depth + 1)}`)
  return `{${members.join()}}`
}

/** `networks[0].chainId`, the way a person would write the place of a field. */
export function fieldName(path: JsonPath): string {
  if (path.length === 0) return 'the value'
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part}]`
    if (!/^[A-Za-z_$][\w$]{0,63}$/.test(part)) return `${name}["${shownKey(part)}"]`
    return name === '' ? part : `${name}.${part}`
  }, '')
}

/**
 * A key is shown up to its first odd character: `url:http://user:password@host`,
 * a forgotten space, is one key to a parser and must not end up in a log.
 */
function shownKey(key: string): string {
  const plain = /^[\w$*-]*/.exec(key)![0].slice(0, NAME_SHOWN_CHARS_MAX)
  return plain === key ? plain : `${plain}…`
}
