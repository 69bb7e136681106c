import type { ReferenceCall } from '../document/reference-doc.ts'
import { type CallInputs, isKeyInHeader, isStream, targetOf } from './call-request.ts'

type Snippet = { name: string; text: string }

type Sent = {
  call: ReferenceCall
  inputs: CallInputs
  headers: readonly SentHeader[]
  body: unknown
}

/** A header whose value may end in a variable of the environment. */
type SentHeader = { name: string; text: string; variable: string | null }

const TOKEN_HEADER = 'X-Service-Token'

/** The call as it is filled in, in three languages; secrets come from the environment. */
export function callSnippets(call: ReferenceCall, inputs: CallInputs): readonly Snippet[] {
  const isOfBrowser = call.doc['x-audience'] === 'session'
  if (isOfBrowser || isStream(call.doc)) return [{ name: 'curl', text: call.doc['x-example'] }]
  const body = parsed(inputs.body)
  const sent = { call, inputs, headers: headersOf(call, body !== undefined), body }
  return [
    { name: 'curl', text: curl(sent) },
    { name: 'TypeScript', text: typescript(sent) },
    { name: 'Python', text: python(sent) },
  ]
}

function headersOf(call: ReferenceCall, hasBody: boolean): SentHeader[] {
  const headers: SentHeader[] = []
  const audience = call.doc['x-audience']
  if (isKeyInHeader(call)) {
    headers.push({ name: 'Authorization', text: 'Bearer ', variable: 'HEADGATE_KEY' })
  } else if (audience !== 'public') {
    const variable = audience === 'operator' ? 'HEADGATE_OPERATOR_TOKEN' : 'HEADGATE_TOKEN'
    headers.push({ name: TOKEN_HEADER, text: '', variable })
  }
  if (hasBody) headers.push({ name: 'content-type', text: 'application/json', variable: null })
  return headers
}

function curl({ call, inputs, headers, body }: Sent): string {
  const isPlain = call.method === 'GET' || (call.method === 'POST' && body !== undefined)
  const verb = isPlain ? '' : `-X ${call.method} `
  const parts = [`curl ${verb}"$HEADGATE_URL${targetOf(call, inputs, '$HEADGATE_KEY')}"`]
  for (const { name, text, variable } of headers) {
    parts.push(variable ? `-H "${name}: ${text}$${variable}"` : `-H '${name}: ${text}'`)
  }
  if (body !== undefined) parts.push(`-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`)
  return parts.join(' \\\n  ')
}

function typescript({ call, inputs, headers, body }: Sent): string {
  const env = (name: string) => `\${process.env.${name}}`
  const url = `\`${env('HEADGATE_URL')}${targetOf(call, inputs, env('HEADGATE_KEY'))}\``
  const members = headers.map(({ name, text, variable }) =>
    variable ? `'${name}': \`${text}${env(variable)}\`` : `'${name}': '${text}'`,
  )
  const options = [
    call.method !== 'GET' && `  method: '${call.method}',`,
    members.length > 0 && `  headers: { ${members.join(', ')} },`,
    body !== undefined && `  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`,
  ].filter((line) => line !== false)
  const asked = options.length > 0 ? `${url}, {\n${options.join('\n')}\n}` : url
  const read = isJson(call) ? 'json' : 'text'
  return `const answer = await fetch(${asked})\nconsole.log(answer.status, await answer.${read}())`
}

function python({ call, inputs, headers, body }: Sent): string {
  const env = (name: string) => `{os.environ['${name}']}`
  const url = `f"${env('HEADGATE_URL')}${targetOf(call, inputs, env('HEADGATE_KEY'))}"`
  const members = headers.map(({ name, text, variable }) =>
    variable ? `'${name}': f"${text}${env(variable)}"` : `'${name}': '${text}'`,
  )
  const options = [
    `    ${url},`,
    `    method='${call.method}',`,
    members.length > 0 && `    headers={${members.join(', ')}},`,
    body !== undefined && `    data=json.dumps(${indented(pythonValue(body), 4)}).encode(),`,
  ].filter((line) => line !== false)
  return [
    `import ${isJson(call) || body !== undefined ? 'json, ' : ''}os, urllib.request`,
    '',
    `request = urllib.request.Request(\n${options.join('\n')}\n)`,
    'with urllib.request.urlopen(request) as answer:',
    `    print(answer.status, ${isJson(call) ? 'json.load(answer)' : 'answer.read().decode()'})`,
  ].join('\n')
}

function isJson({ doc }: ReferenceCall): boolean {
  const answer = doc.responses['201'] ?? doc.responses['200']
  return answer?.content?.['application/json'] !== undefined
}

/** Whatever is not JSON yet, while it is typed, is left out. */
function parsed(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function indented(text: string, spaces = 2): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`)
}

/** JSON in Python's words; its texts are texts of Python as they are. */
function pythonValue(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value ?? {}).map(
    ([name, inner]) => `    ${JSON.stringify(name)}: ${indented(pythonValue(inner), 4)},\n`,
  )
  return members.length > 0 ? `{\n${members.join('')}}` : '{}'
}
