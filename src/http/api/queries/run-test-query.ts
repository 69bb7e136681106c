import { Rejection } from '../../../core/errors.ts'
import { quantityToNumber } from '../../../core/hex.ts'
import { type DryRun, type DryRunNeeds, dryRun } from '../../../follower/dry-run.ts'
import type { WhichBlock } from '../../../follower/which-block.ts'
import { otherKindThanUsed } from '../../../tables/webhooks/webhook-variables.ts'
import type { TestQuery } from '../../contract/contract.ts'
import type { DryRunLimiter } from './dry-run-limiter.ts'
import { evmService, type ServiceNeeds } from './evm-service.ts'
import type { QueryCompiler } from './query-compiler.ts'
import { variableKindRefusal } from './variable-kind.ts'

export type QueryCallNeeds = DryRunNeeds &
  ServiceNeeds & { dryRuns: DryRunLimiter; queries: QueryCompiler }

/** `0x`, 64 digits. */
const HASH_LENGTH = 66

/** A dry run of what the body of a call asks for. */
export async function runTestQuery(
  needs: QueryCallNeeds,
  teamId: string,
  asked: TestQuery,
): Promise<DryRun | Rejection> {
  const service = evmService(needs, asked.network)
  if (service instanceof Rejection) return service

  const named = asked.block === undefined ? null : whichBlock(asked.block)
  if (named instanceof Rejection) return named

  const query = asked.graphql_query
  const text = typeof query === 'string' ? query : query.query
  const plan = needs.queries.compile(teamId, text, service.network)
  if (plan instanceof Rejection) return plan

  const variable = await otherKindThanUsed(needs.database, teamId, plan.variables)
  if (variable) return variableKindRefusal(variable)

  const which = named ?? plan.dryRunBlock
  return dryRun(needs, service, { teamId, plan, which })
}

/** The schema has seen to its form. */
function whichBlock(block: number | string): WhichBlock | Rejection {
  if (typeof block === 'number') return { number: block }
  if (block.length === HASH_LENGTH) return { hash: block.toLowerCase() }
  const number = block.startsWith('0x') ? quantityToNumber(block) : Number(block)
  if (number !== null && Number.isSafeInteger(number)) return { number }
  return new Rejection('validation', 'block must be a number below 2^53.')
}
