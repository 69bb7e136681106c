import type { CallDoc, ParameterPart, ReferenceCall } from '../document/reference-doc.ts'

export type CallInputs = { values: Readonly<Record<string, string>>; body: string }

/** Where the key of an app stands in a path. */
const KEY_PARAMETER = 'key'

/** Only these are filled in from the start: an example of a filter would hide what is there. */
export function firstInputs({ doc }: ReferenceCall): CallInputs {
  const asked = doc.parameters.filter(({ required }) => required)
  const example = doc.requestBody?.content['application/json']?.example
  return {
    values: Object.fromEntries(asked.map(({ name, example = '' }) => [name, example])),
    body: example === undefined ? '' : JSON.stringify(example, null, 2),
  }
}

/** A session or the page itself says which team is meant, so that these are not asked for. */
export function askedParameters({ doc }: ReferenceCall): readonly ParameterPart[] {
  const isOurs = ({ name, in: place }: ParameterPart) =>
    place === 'header' || name === 'team_id' || name === KEY_PARAMETER
  return doc.parameters.filter((parameter) => !isOurs(parameter))
}

/** The path with its parameters; `key` is put in as it is. */
export function targetOf({ path, doc }: ReferenceCall, inputs: CallInputs, key: string): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === KEY_PARAMETER ? key : encoded(inputs.values[name] ?? ''),
  )
  const query = doc.parameters
    .filter(({ name, in: place }) => place === 'query' && (inputs.values[name] ?? '') !== '')
    .map(({ name }) => `${encoded(name)}=${encoded(inputs.values[name] ?? '')}`)
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled
}

/** Calls of nodes take the key of an app, in the path or in a header. */
export function isNodeCall({ path }: ReferenceCall): boolean {
  return path.startsWith('/{network}/v2')
}

export function isKeyInHeader(call: ReferenceCall): boolean {
  return isNodeCall(call) && !call.path.includes(`{${KEY_PARAMETER}}`)
}

export function isStream({ responses }: CallDoc): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined
}

/** Says what is wrong before anything is sent; empty where nothing is. */
export function faultOf(call: ReferenceCall, inputs: CallInputs): string {
  const missing = askedParameters(call).find(
    ({ name, required }) => required && (inputs.values[name] ?? '') === '',
  )
  if (missing) return `${missing.name} is missing.`
  if (inputs.body.trim() === '') {
    return call.doc.requestBody?.required ? 'The body is missing.' : ''
  }
  try {
    JSON.parse(inputs.body)
    return ''
  } catch (thrown) {
    return `The body is not JSON: ${thrown instanceof Error ? thrown.message : thrown}.`
  }
}

/** Fit for an address, for quotes of every language and for an interactive shell. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
