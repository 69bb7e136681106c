import {
  ApiError,
  CALL_ROUTES,
  type CallInput,
  createClient,
  type InputArgument,
} from '@headgate/client'
import type { AnswerOf, CallId } from './wire.ts'

/** The team to act for may be another than the one in view. */
type ApiInput<Id extends CallId> = CallInput<Id> & { team?: string }

type ApiArgument<Id extends CallId> =
  InputArgument<Id> extends [CallInput<Id>] ? [input: ApiInput<Id>] : [input?: ApiInput<Id>]

type LooseInput = { parameters?: object; body?: unknown; signal?: AbortSignal; team?: string }

/** Names the team; as a parameter it may be empty, for what is the operator's own. */
const TEAM_HEADER = 'X-Team-Id'

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
  ...[input]: ApiArgument<Id>
): Promise<AnswerOf<Id>> {
  return noticed(id, client.call(id, ...asTeam<Id>(input ?? {})))
}

/** The text of an answer, whose numbers may have more digits than a script can hold. */
export async function callForText<Id extends CallId>(
  id: Id,
  ...[input]: ApiArgument<Id>
): Promise<string> {
  return (await noticed(id, client.request(id, ...asTeam<Id>(input ?? {})))).text()
}

/** Pages give all that a call needs: only the team is added. */
function asTeam<Id extends CallId>({ team, parameters, ...rest }: LooseInput) {
  const own = { [TEAM_HEADER]: actingTeam ?? undefined, ...parameters }
  const named = team === undefined ? own : { ...own, [TEAM_HEADER]: team }
  return [{ ...rest, parameters: named }] as unknown as InputArgument<Id>
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
