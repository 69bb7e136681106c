import type { JsonSchema } from '../../core/schema/json-schema.ts'
import { integer, list, record, type Static, text } from '../../core/schema/schema.ts'
import type { Audience, CallAnswer, HttpMethod, Operation } from './operation.ts'

export type Media = { schema: JsonSchema; example?: unknown }

type Header = { description: string; schema: JsonSchema }

type ResponseDoc = {
  description: string
  headers?: Readonly<Record<string, Header>>
  content?: Readonly<Record<string, Media>>
}

export type OperationDoc = ReturnType<typeof operationDoc>

export type Paths = Readonly<Record<string, Readonly<Partial<Record<HttpMethod, OperationDoc>>>>>

/** The header of ours that carries a token, before those that the configuration names. */
export const TOKEN_HEADER = 'X-Service-Token'

/** The cookie of a signed-in browser, which stands for the token that it signed in with. */
export const SESSION_COOKIE = 'headgate_session'

export const ALCHEMY_TAG = 'Alchemy-compatible'

const ERROR_REPLY = record(
  'Error',
  {
    name: text('Which kind of error, for programs.'),
    message: text('What went wrong, for people.'),
  },
  {
    locations: list(
      record('ErrorLocation', {
        line: integer({ minimum: 1 }),
        column: integer({ minimum: 1, description: 'In UTF-16 units, as editors count.' }),
      }),
      'Only for a mistake in a query that has a place in its text: where it is.',
    ),
  },
)

export type ErrorReply = Static<typeof ERROR_REPLY>

const SECURITY: Readonly<Record<Audience, readonly Record<string, string[]>[]>> = {
  team: [{ teamToken: [] }, { operatorToken: [] }, { sessionCookie: [] }],
  operator: [{ operatorToken: [] }, { sessionCookie: [] }],
  'any-token': [{ teamToken: [] }, { operatorToken: [] }, { sessionCookie: [] }],
  session: [{ sessionCookie: [] }],
  public: [],
}

const FOREIGN = '`Forbidden`: a session is used from another origin.'

const RETRY_AFTER: Header = {
  description: 'Whole seconds after which asking again makes sense.',
  schema: integer({ minimum: 1 }),
}

const NOT_MODIFIED: ResponseDoc = { description: 'It is what `If-None-Match` names: no body.' }

export function operationDoc(operationId: string, operation: Operation) {
  const { tag = '', summary, description, audience, body, answer, answerStatus, grows } = operation
  const responses: Record<string, ResponseDoc> = {
    [answerStatus ?? 200]: answerDoc(answer),
    ...('If-None-Match' in operation.parameters && { '304': NOT_MODIFIED }),
    ...errorResponses(operation),
  }
  return {
    operationId,
    tags: operation.alchemy ? [tag, ALCHEMY_TAG] : [tag],
    summary,
    description,
    security: SECURITY[audience],
    parameters: Object.entries(operation.parameters).map(([name, it]) => ({ name, ...it })),
    ...(body && {
      requestBody: {
        required: body.required,
        content: { 'application/json': { schema: body.schema, example: body.example } },
      },
    }),
    responses,
    ...(grows && { 'x-grows': grows }),
    'x-audience': audience,
    /** A command to paste; `$HEADGATE_URL` and similar variables are the reader's values. */
    'x-example': operation.example ?? curl(operation),
  }
}

function answerDoc({
  description,
  contentType,
  schema,
  example,
  headers,
}: CallAnswer): ResponseDoc {
  const media = example === undefined ? { schema } : { schema, example }
  const named = Object.entries(headers ?? {}).map(([name, { description = '', ...schema }]) => {
    return [name, { description, schema }]
  })
  return {
    description,
    ...(contentType && { content: { [contentType]: media } }),
    ...(headers && { headers: Object.fromEntries(named) }),
  }
}

function errorResponses(operation: Operation): Record<string, ResponseDoc> {
  const { audience, body, grows, errors, errorSchema = ERROR_REPLY } = operation
  const texts: Record<string, string> = {}
  if (audience !== 'public') {
    texts['400'] = '`ValidationError`: a parameter or a field is wrong; the message names it.'
    texts['401'] =
      audience === 'session'
        ? '`Unauthorized`: there is no session, or it has ended.'
        : `\`Unauthorized\`: the header \`${TOKEN_HEADER}\` is missing, unknown or revoked.`
    texts['403'] = FOREIGN
    texts['429'] =
      '`TooManyRequests`: over 100 calls a second, too many bytes, or too many unknown tokens.'
  }
  if (audience === 'operator') {
    texts['403'] = `${FOREIGN} Or this call takes the operator’s token.`
  }
  if (audience === 'team') {
    texts['403'] = `${FOREIGN} Or a team’s token names another team.`
    texts['404'] = '`NotFound`: there is no team of this id.'
  }
  if (body) {
    texts['408'] = '`RequestTimeout`: the body took too long to arrive.'
    texts['413'] = '`PayloadTooLarge`: the body is over 2.5 MiB.'
    texts['415'] = '`UnsupportedMediaType`: the body is not sent as JSON.'
  }
  if (grows) {
    texts['507'] = '`InsufficientStorage`: the disk is nearly full; only its operator can help.'
  }
  const responses: Record<string, ResponseDoc> = {}
  for (const [status, description] of Object.entries({ ...texts, ...errors })) {
    responses[status] = {
      description,
      ...(errorSchema && { content: { 'application/json': { schema: errorSchema } } }),
      ...(status === '429' &&
        errorSchema === ERROR_REPLY && { headers: { 'Retry-After': RETRY_AFTER } }),
    }
  }
  return responses
}

function curl({ method, path, parameters, body, audience, exampleQuery }: Operation): string {
  const verb = method === 'get' || (method === 'post' && body) ? '' : `-X ${method.toUpperCase()} `
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters[name]?.example ?? '')
  const token = audience === 'operator' ? '$HEADGATE_OPERATOR_TOKEN' : '$HEADGATE_TOKEN'
  const parts = [`curl ${verb}"$HEADGATE_URL${filled}${exampleQuery ?? ''}"`]
  if (audience === 'session') parts.push('-b cookies.txt', '-H "Origin: $HEADGATE_URL"')
  else if (audience !== 'public') parts.push(`-H "${TOKEN_HEADER}: ${token}"`)
  if (body) {
    parts.push(`-H 'content-type: application/json'`, `-d '${JSON.stringify(body.example)}'`)
  }
  return parts.join(' \\\n  ')
}
