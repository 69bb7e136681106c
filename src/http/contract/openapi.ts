import type { JsonSchema } from '../../core/json-schema.ts'

/** Written in the document and used as it stands for validation. */
export type Schema = JsonSchema

export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: string | number
}

export type Media = { schema: Schema; example?: unknown }

export type ResponseDoc = {
  description: string
  headers?: Readonly<Record<string, { description: string; schema: Schema }>>
  content?: Readonly<Record<string, Media>>
}

/** Whose token a call asks for: a team's, the operator's, any, or none at all. */
type Audience = 'team' | 'operator' | 'any-token' | 'public'

export type Operation = {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters: readonly Parameter[]
  requestBody?: { required: boolean; content: Readonly<Record<string, Media>> }
  responses: Readonly<Record<string, ResponseDoc>>
  'x-grows'?: Growth
  'x-audience': Audience
  /** A command to paste; `$HEADGATE_URL` and its like stand for the reader's own. */
  'x-example': string
}

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

export type Paths = Readonly<Record<string, Readonly<Partial<Record<HttpMethod, Operation>>>>>

export type OpenApi = {
  openapi: '3.1.0'
  info: {
    title: string
    version: string
    description: string
    license: Readonly<Record<string, string>>
  }
  servers: readonly { url: string; description: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Paths
  components: {
    schemas: Readonly<Record<string, Schema>>
    securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>
  }
}

type Growth = 'always' | { with: string }

type Outline = {
  id: string
  tag: string
  audience: Audience
  summary: string
  description: string
  parameters?: readonly Parameter[]
  body?: Media
  /** The body may be left out. */
  bodyOptional?: boolean
  answer: ResponseDoc
  /** 200 where nothing is said. */
  answerStatus?: 201
  /** It makes the store grow: always, or where the body has this member. */
  grows?: Growth
  /** What goes wrong in ways of its own, by status; the usual errors are added. */
  errors?: Readonly<Record<string, string>>
  example: string
}

/** A name that callers write: whether there is such a thing is for the call to find out. */
export const ID_SCHEMA: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\p{Cc}\\p{Cs}]*$',
  'x-form': 'text without control characters',
}

/** A reference to a named schema of the document. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

/** `{data: …}`, the shape of every successful answer that has something to say. */
export function dataOf(schema: Schema): Schema {
  return {
    type: 'object',
    required: ['data'],
    additionalProperties: false,
    properties: { data: schema },
  }
}

export function jsonAnswer(description: string, schema: Schema, example?: unknown): ResponseDoc {
  const media = example === undefined ? { schema } : { schema, example }
  return { description, content: { 'application/json': media } }
}

/** A management call, with the errors that all of its kind share. */
export function operation(outline: Outline): Operation {
  const teamParameters = outline.audience === 'team' ? TEAM_PARAMETERS : []
  return {
    operationId: outline.id,
    tags: [outline.tag],
    summary: outline.summary,
    description: outline.description,
    security: SECURITY[outline.audience],
    parameters: [...(outline.parameters ?? []), ...teamParameters],
    ...(outline.body && {
      requestBody: {
        required: outline.bodyOptional !== true,
        content: { 'application/json': outline.body },
      },
    }),
    responses: { [outline.answerStatus ?? 200]: outline.answer, ...errorResponses(outline) },
    ...(outline.grows && { 'x-grows': outline.grows }),
    'x-audience': outline.audience,
    'x-example': outline.example,
  }
}

/** Whether the call would make the store grow. */
export function makesGrow({ 'x-grows': grows }: Operation, body: unknown): boolean {
  if (grows === undefined || grows === 'always') return grows !== undefined
  return typeof body === 'object' && body !== null && grows.with in body
}

/** The status of an answer that is no error. */
export function successStatus({ responses }: Operation): 200 | 201 {
  return responses['201'] ? 201 : 200
}

const SECURITY: Readonly<Record<Audience, Operation['security']>> = {
  team: [{ teamToken: [] }, { operatorToken: [] }],
  operator: [{ operatorToken: [] }],
  'any-token': [{ teamToken: [] }, { operatorToken: [] }],
  public: [],
}

/** Every call for a team has these two. */
export const TEAM_PARAMETERS: readonly Parameter[] = [
  {
    name: 'X-Team-Id',
    in: 'header',
    required: false,
    description: 'The team to act for. Needed with the operator’s token, not with a team’s own.',
    schema: ID_SCHEMA,
  },
  {
    name: 'team_id',
    in: 'query',
    required: false,
    description: 'The same as the header `X-Team-Id`, for where a header cannot be set.',
    schema: ID_SCHEMA,
  },
]

function errorResponses(outline: Outline): Record<string, ResponseDoc> {
  const texts: Record<string, string> = {}
  if (outline.audience !== 'public') {
    texts['400'] = '`ValidationError`: a parameter or a field is wrong; the message names it.'
    texts['401'] = '`Unauthorized`: the header `X-Service-Token` is missing, unknown or revoked.'
    texts['429'] =
      '`TooManyRequests`: over 100 calls a second, too many bytes, or too many unknown tokens.'
  }
  if (outline.audience === 'operator') {
    texts['403'] = '`Forbidden`: this call takes the operator’s token.'
  }
  if (outline.audience === 'team') {
    texts['403'] = '`Forbidden`: a team’s token names another team.'
    texts['404'] = '`NotFound`: there is no team of this id.'
  }
  if (outline.body) {
    texts['408'] = '`RequestTimeout`: the body took too long to arrive.'
    texts['413'] = '`PayloadTooLarge`: the body is over 2.5 MiB.'
    texts['415'] = '`UnsupportedMediaType`: the body is not sent as JSON.'
  }
  if (outline.grows) {
    texts['507'] = '`InsufficientStorage`: the disk is nearly full; only its operator can help.'
  }
  const responses: Record<string, ResponseDoc> = {}
  for (const [status, text] of Object.entries({ ...texts, ...outline.errors })) {
    responses[status] = {
      ...jsonAnswer(text, ref('Error')),
      ...(status === '429' && { headers: { 'Retry-After': RETRY_AFTER } }),
    }
  }
  return responses
}

const RETRY_AFTER = {
  description: 'Whole seconds after which asking again makes sense.',
  schema: { type: 'integer', minimum: 1 },
} as const
