import { deliveryCentiCu } from '../core/delivery/delivery-price.ts'
import { Rejection } from '../core/errors.ts'
import { quantityToNumber } from '../core/hex.ts'
import { compileForNetwork } from '../core/query/compile-for-network.ts'
import { type DryRun, type DryRunNeeds, dryRun } from '../follower/dry-run.ts'
import type { WhichBlock } from '../follower/which-block.ts'
import type { TeamCall } from './api-call.ts'
import { jsonTextReply } from './api-reply.ts'
import type * as wire from './contract.ts'
import type { DryRunTurns } from './dry-run-turns.ts'
import { evmService, type ServiceNeeds } from './evm-service.ts'
import { cuOf } from './usage-calls.ts'

export type QueryCallNeeds = DryRunNeeds & ServiceNeeds & { dryRuns: DryRunTurns }

/** `0x`, 64 digits. */
const HASH_LENGTH = 66

export function testQuery(needs: QueryCallNeeds, call: TeamCall): Promise<Response | Rejection> {
  const teamId = call.team.id
  const asked = call.body as wire.TestQuery
  return needs.dryRuns.run(teamId, () => tryQuery(needs, teamId, asked))
}

/** A dry run of what the body of a call asks for. */
export async function runAsked(
  needs: QueryCallNeeds,
  teamId: string,
  asked: wire.TestQuery,
): Promise<DryRun | Rejection> {
  const service = evmService(needs, asked.network)
  if (service instanceof Rejection) return service

  const named = asked.block === undefined ? null : whichBlock(asked.block)
  if (named instanceof Rejection) return named

  const query = asked.graphql_query
  const text = typeof query === 'string' ? query : query.query
  const plan = compileForNetwork(text, service.network)
  if (plan instanceof Rejection) return plan

  const which = named ?? plan.dryRunBlock
  return dryRun(needs, service, { teamId, plan, which })
}

async function tryQuery(
  needs: QueryCallNeeds,
  teamId: string,
  asked: wire.TestQuery,
): Promise<Response | Rejection> {
  const ran = await runAsked(needs, teamId, asked)
  return ran instanceof Rejection ? ran : jsonTextReply(replyText(ran))
}

/** The schema has seen to its form. */
function whichBlock(block: number | string): WhichBlock | Rejection {
  if (typeof block === 'number') return { number: block }
  if (block.length === HASH_LENGTH) return { hash: block.toLowerCase() }
  const number = block.startsWith('0x') ? quantityToNumber(block) : Number(block)
  if (number !== null && Number.isSafeInteger(number)) return { number }
  return new Rejection('validation', 'block must be a number below 2^53.')
}

/** The result is put in as it stands: its numbers may have more digits than a double holds. */
function replyText({ header, outcome, bodyBytes, missingVariables }: DryRun): string {
  const { truncation } = outcome
  const figures: wire.TestQueryFigures = {
    bytes: bodyBytes,
    cu: cuOf(deliveryCentiCu(bodyBytes)),
    matched: outcome.matched,
    empty: outcome.empty,
    block: { number: header.number, hash: header.hash },
    ...(truncation && {
      truncated: true,
      truncated_fields: truncation.fields,
      truncation_reason: truncation.reason,
    }),
    ...(missingVariables.length > 0 && { variables: missingVariables }),
  }
  return `{"data":${outcome.text},${JSON.stringify(figures).slice(1)}`
}
