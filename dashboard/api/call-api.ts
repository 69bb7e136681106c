import type { AnswerOf, CallId } from '@headgate/client'
import { ApiError, CALL_ROUTES, createClient, type InputArgument } from '@headgate/client'

export { ApiError }

export const CALL_IDS = Object.keys(CALL_ROUTES) as readonly CallId[]

/** The page's own origin, with the session's cookie; pages say themselves when they ask again. */
const client = createClient({ url: '', retries: 0 })

/** The team that an operator looks at; a team's own session needs none. */
let actingTeam: string | null = null

/** Told once a call was refused because nobody is signed in. */
let signedOut: () => void = () => {}

export function actForTeam(id: string | null): void {
  actingTeam = id
}

export function onSignedOut(heard: () => void): void {
  signedOut = heard
}

/** Makes one management call with the session's cookie; throws an `ApiError` when it is refused. */
export async function callApi<Id extends CallId>(
  id: Id,
  ...[input]: InputArgument<Id>
): Promise<AnswerOf<Id>> {
  return noticed(id, client.call(id, ...asTeam<Id>(input)))
}

/** The text of an answer, whose numbers may have more digits than a script can hold. */
export async function callForText<Id extends CallId>(
  id: Id,
  ...[input]: InputArgument<Id>
): Promise<string> {
  return (await noticed(id, client.request(id, ...asTeam<Id>(input)))).text()
}

/** Adds the team in view, unless a page names another; an empty name is the operator's own. */
function asTeam<Id extends CallId>(input: { parameters?: object; signal?: AbortSignal } = {}) {
  const parameters = { 'X-Team-Id': actingTeam ?? undefined, ...input.parameters }
  return [{ ...input, parameters }] as unknown as InputArgument<Id>
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

async function noticed<T>(id: CallId, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (thrown) {
    const isRefused = thrown instanceof ApiError && thrown.status === 401
    if (isRefused && id !== 'getQuerySchema') signedOut()
    throw thrown
  }
}
