import type { Team } from '../../../core/billing/plan.ts'
import type { Rejection } from '../../../core/errors.ts'
import type { Session } from '../../../tables/accounts/sessions.ts'
import type { Token } from '../../../tables/accounts/tokens.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Operation, Values } from '../../contract/operation.ts'
import type { StreamClient } from '../../edge/client.ts'
import type { ManagementApi } from '../management-api.ts'
import type { SecretCheck } from '../secret-checks.ts'

/** The maker of a management call: a token, or a session that stands for one. */
export type ApiCaller = {
  kind: Token['kind']
  /** Null for the operator. */
  teamId: string | null
  /** Null where a session was signed in by the link of local development. */
  token: Pick<Token, 'id' | 'name'> | null
  session: Session | null
}

/** `team` is the caller's own, or the one the operator named. */
export type TeamCaller = { caller: ApiCaller; team: Team; stream: CallerStream }

export type CallerStream = {
  client: StreamClient
  isStillAllowed(): Promise<boolean>
}

/** A client that nobody is known to stand behind. */
export type Visitor = {
  headers: Headers
  address: string
  /** Check a token, or a link for the id of its team, within the limits on guessing. */
  auth: { token: SecretCheck<Token>; link: SecretCheck<string> }
}

type Callers = {
  team: TeamCaller
  operator: { caller: ApiCaller }
  'any-token': { caller: ApiCaller }
  session: { caller: ApiCaller; session: Session }
  public: { visitor: Visitor }
}

/**
 * Answers a management call, whose parameters and body have passed the definition that their
 * types come from: with what becomes the JSON, with a response that is ready, or with a rejection.
 */
export type Handler<Id extends keyof Contract> =
  Contract[Id] extends Operation<infer P, infer B, infer A, infer Who>
    ? (
        api: ManagementApi,
        call: Callers[Who] & { parameters: Values<P>; body: B },
      ) => Promise<A | Response | Rejection>
    : never
