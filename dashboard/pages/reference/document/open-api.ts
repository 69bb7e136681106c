/** The part of JSON Schema that the document uses. */
export type SchemaDoc = {
  $ref?: string
  description?: string
  default?: unknown
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly SchemaDoc[]
  'x-events'?: Readonly<Record<string, SchemaDoc>>
  items?: SchemaDoc
  required?: readonly string[]
  properties?: Readonly<Record<string, SchemaDoc>>
}

type Media = { schema: SchemaDoc; example?: unknown }

export type ParameterPart = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: SchemaDoc
  example?: string
}

export type AnswerPart = {
  description: string
  headers?: Readonly<Record<string, { description: string }>>
  content?: Readonly<Record<string, Media>>
}

export type CallDoc = {
  operationId: string
  tags: readonly string[]
  summary: string
  description: string
  parameters: readonly ParameterPart[]
  requestBody?: { required: boolean; content: Readonly<Record<string, Media>> }
  responses: Readonly<Record<string, AnswerPart>>
  'x-audience': 'team' | 'operator' | 'any-token' | 'session' | 'public'
  'x-example': string
}

export type OpenApi = {
  info: { version: string; description: string }
  servers: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, CallDoc>>>>
  components: { schemas: Readonly<Record<string, SchemaDoc>> }
}
