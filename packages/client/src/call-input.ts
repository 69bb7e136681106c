import type { CALL_ROUTES, PAGED_CALLS } from './generated/call-routes.ts'
import type { Calls } from './generated/calls.ts'

/** The operation id of a call, such as `createWebhook`. */
export type CallId = keyof typeof CALL_ROUTES

/** A call that answers page by page. */
export type PagedCallId = keyof typeof PAGED_CALLS

export type AnswerOf<Id extends CallId> = Calls[Id]['answer']

export type BodyOf<Id extends CallId> = Calls[Id]['body']

/** Parameters of the path, of the query string and of headers, by name. */
export type ParametersOf<Id extends CallId> = Calls[Id]['parameters']

type Whole<Id extends CallId> = {
  parameters: ParametersOf<Id>
  body: BodyOf<Id>
  signal: AbortSignal
}

type Optional<Id extends CallId> =
  | 'signal'
  | (Record<never, never> extends ParametersOf<Id> ? 'parameters' : never)
  | (undefined extends BodyOf<Id> ? 'body' : never)

/** The parameters, the body and the signal of a call: required where the call needs them. */
export type CallInput<Id extends CallId> = Omit<Whole<Id>, Optional<Id>> &
  Partial<Pick<Whole<Id>, Optional<Id>>>

/** The input as an argument, which may be left out where the call needs nothing. */
export type InputArgument<Id extends CallId> =
  Record<never, never> extends CallInput<Id> ? [input?: CallInput<Id>] : [input: CallInput<Id>]
