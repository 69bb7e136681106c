export { ApiError, type ErrorLocation } from './api-error.ts'
export type {
  AnswerOf,
  BodyOf,
  CallId,
  CallInput,
  InputArgument,
  PagedCallId,
  ParametersOf,
} from './call-input.ts'
export { type Client, type ClientOptions, createClient } from './create-client.ts'
export { CALL_ROUTES } from './generated/call-routes.ts'
export type { Events } from './generated/calls.ts'
export type * from './generated/schemas.ts'
export type { ClientEvent, EventsInput, EventTopic } from './read-events.ts'
