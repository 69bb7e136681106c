import type { Team } from '../../core/billing/plan.ts'
import type { Token } from '../../tables/accounts/tokens.ts'
import type { ParameterValues } from './check-request.ts'

/** A management call whose parameters and body have passed the document's schemas. */
type ApiCall = { parameters: ParameterValues; body: unknown }

/** A call that needs no token; what it answers may depend on what its client takes. */
export type PublicCall = ApiCall & { headers: Headers }

export type TokenCall = ApiCall & { token: Token }

/** `team` is the token's own, or the one the operator named. */
export type TeamCall = TokenCall & { team: Team }
