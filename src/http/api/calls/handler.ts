import type { Team } from '../../../core/billing/plan.ts'
import type { Rejection } from '../../../core/errors.ts'
import type { Token } from '../../../tables/accounts/tokens.ts'
import type { Contract } from '../../contract/contract.ts'
import type { Operation, Values } from '../../contract/operation.ts'

/** `team` is the token's own, or the one the operator named. */
export type TeamCaller = { token: Token; team: Team }

/** The caller, by the audience of an operation. */
type Callers = {
  team: TeamCaller
  operator: { token: Token }
  'any-token': { token: Token }
  /** A public call has no caller; its answer may depend on the client's headers. */
  public: { headers: Headers }
}

/**
 * Answers a management call, whose parameters and body have passed the definition that their
 * types come from: with what becomes the JSON, with a response that is ready, or with a rejection.
 */
export type Handler<Id extends keyof Contract, Needs> =
  Contract[Id] extends Operation<infer P, infer B, infer A, infer Who>
    ? (
        needs: Needs,
        call: Callers[Who] & { parameters: Values<P>; body: B },
      ) => Promise<A | Response | Rejection>
    : never
