import {
  type Fields,
  object,
  type Preset,
  type Schema,
  type Static,
} from '../../core/schema/schema.ts'
import { line } from './fields.ts'

/**
 * A call asks for a team's token, the operator's, any token, or none at all. A session stands for
 * its token; some calls are about the session itself, and take no token.
 */
export type Audience = 'team' | 'operator' | 'any-token' | 'session' | 'public'

export type HttpMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A parameter may be absent where its type has undefined. */
export type Parameter<T = unknown> = {
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema<T>
  example?: string
}

type Parameters = Readonly<Record<string, Parameter>>

export type CallBody<T = unknown> = { schema: Schema<T>; example: T; required: boolean }

export type CallAnswer<T = unknown> = {
  description: string
  /** Null for an answer whose content is not described. */
  contentType: 'application/json' | 'text/plain' | 'text/event-stream' | null
  schema: Schema<T>
  example?: T
  /** By name; the description of each is that of its schema. */
  headers?: Readonly<Record<string, Schema>>
}

/** It makes the store grow: always, or where the body has this member. */
type Growth = 'always' | { with: string }

type Outline<P, B, A> = {
  /** Where nothing is said, `under` names that of its group. */
  tag?: string
  /** It has the path and the form of Alchemy’s, so that its clients work unchanged. */
  alchemy?: true
  summary: string
  description: string
  parameters?: P
  body?: CallBody<B>
  answer: CallAnswer<A>
  /** 200 where nothing is said. */
  answerStatus?: 201
  grows?: Growth
  /** There is no such call where a configuration file is. */
  localOnly?: true
  /** Errors in ways of its own, by status; the usual ones are added. */
  errors?: Readonly<Record<string, string>>
  /** The error of the management API where nothing is said; null where it is not described. */
  errorSchema?: Schema | null
  exampleQuery?: string
  /** The example, where a command made of the parameters and the body is not good enough. */
  example?: string
}

/**
 * One management call: the type of its handler, the check of its requests, the document and the
 * reference all come from here.
 */
export type Operation<
  P = Parameters,
  B = unknown,
  A = unknown,
  Who extends Audience = Audience,
> = Outline<P, B, A> & { method: HttpMethod; path: string; audience: Who; parameters: P }

export type Values<P> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never
}

type CallRoute = `${Uppercase<HttpMethod>} /${string}`

type NoParameters = Readonly<Record<never, Parameter>>

/** A name that callers write: whether there is such a thing is for the call to find out. */
export const ID = line({ minLength: 1, maxLength: 100 })

const TEAM_PARAMETERS: Parameters = {
  'X-Team-Id': header(
    'The team to act for. Needed with the operator’s token, not with a team’s own.',
    ID,
  ),
  team_id: query('The same as the header `X-Team-Id`, for where a header cannot be set.', ID),
}

export const teamCall = callsOf('team')
export const operatorCall = callsOf('operator', { tag: 'Operator' })
export const tokenCall = callsOf('any-token')
export const sessionCall = callsOf('session')
export const publicCall = callsOf('public')

export const LOCAL_TAG = 'Local development'

export function localCall<P extends Parameters = NoParameters, B = undefined, A = unknown>(
  route: CallRoute,
  outline: Outline<P, B, A>,
) {
  const notFound =
    '`NotFound`: this instance has a configuration file, so it is no local development.'
  const errors = { '404': notFound, ...outline.errors }
  return tokenCall<P, B, A>(route, { ...outline, tag: LOCAL_TAG, localOnly: true, errors })
}

export function path<T>(description: string, schema: Schema<T>, example: string): Parameter<T> {
  return { in: 'path', required: true, description, schema, example }
}

export function query<T>(description: string, schema: Preset<T>): Parameter<T>
export function query<T>(
  description: string,
  schema: Schema<T>,
  example?: string,
): Parameter<T | undefined>
export function query<T>(description: string, schema: Schema<T>, example?: string): Parameter<T> {
  return { in: 'query', required: false, description, schema, ...(example && { example }) }
}

export function header<T>(description: string, schema: Schema<T>): Parameter<T | undefined> {
  return { in: 'header', required: false, description, schema }
}

export function body<T>(schema: Schema<T>, example: NoInfer<T>): CallBody<T> {
  return { schema, example, required: true }
}

export function optionalBody<T>(schema: Schema<T>, example: NoInfer<T>): CallBody<T | undefined> {
  return { schema, example, required: false }
}

export function data<T>(description: string, schema: Schema<T>, example?: NoInfer<T>) {
  const whole = object({ data: schema })
  return json(description, whole, example && ({ data: example } as Static<typeof whole>))
}

export function json<T>(
  description: string,
  schema: Schema<T>,
  example?: NoInfer<T>,
): CallAnswer<T> {
  const answer = { description, contentType: 'application/json', schema } as const
  return example === undefined ? answer : { ...answer, example }
}

/** `{}`, which says that it is done. */
export function nothing(description: string): CallAnswer<Record<string, never>> {
  return json(description, { type: 'object', additionalProperties: false }, {})
}

/** Text that is no JSON: the handler has to make the response itself. */
export function plainText(description: string): CallAnswer<never> {
  return { description, contentType: 'text/plain', schema: { type: 'string' } }
}

/** Server-sent events, each with the schema of its data: the handler makes the response itself. */
export function eventStream(description: string, events: Fields): CallAnswer<never> {
  return {
    description,
    contentType: 'text/event-stream',
    schema: { type: 'string', 'x-events': events },
  }
}

export function undescribed(description: string): CallAnswer<never> {
  return { description, contentType: null, schema: {} }
}

export function makesGrow({ grows }: Operation, sent: unknown): boolean {
  if (grows === undefined || grows === 'always') return grows !== undefined
  return typeof sent === 'object' && sent !== null && grows.with in sent
}

/** Puts calls under a tag of the document, unless they have one of their own. */
export function under<Calls extends Readonly<Record<string, Operation>>>(
  tag: string,
  calls: Calls,
): Calls {
  const tagged = Object.entries(calls).map(([id, call]) => [id, { tag, ...call }])
  return Object.fromEntries(tagged)
}

function callsOf<Who extends Audience>(audience: Who, own: { tag?: string } = {}) {
  return <P extends Parameters = NoParameters, B = undefined, A = unknown>(
    methodAndPath: CallRoute,
    outline: Outline<P, B, A>,
  ): Operation<P, B, A, Who> => {
    const [method = '', path = ''] = methodAndPath.split(' ')
    const named = outline.parameters ?? ({} as P)
    const parameters = audience === 'team' ? { ...named, ...TEAM_PARAMETERS } : named
    const route = { method: method.toLowerCase() as HttpMethod, path }
    return { ...own, ...outline, ...route, audience, parameters }
  }
}
