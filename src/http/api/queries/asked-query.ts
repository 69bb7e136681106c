import { Rejection } from '../../../core/errors.ts'
import { quantityToNumber } from '../../../core/hex.ts'
import type { QueryPlan, VariableUse } from '../../../core/query/language/query-plan.ts'
import { type DryRun, dryRun } from '../../../follower/dry-run.ts'
import type { WhichBlock } from '../../../follower/which-block.ts'
import { otherKindThanUsed } from '../../../tables/webhooks/webhook-variables.ts'
import type { NetworkService } from '../../../upstream/answers/ask-network.ts'
import type { TestQuery } from '../../contract/contract.ts'
import type { ManagementApi } from '../management-api.ts'

export const KIND_WORDS = { Address: 'addresses', Bytes32: 'values of 32 bytes' } as const

/** `0x`, 64 digits. */
const HASH_LENGTH = 66

/** The query in the body of a call, compiled for its network and the team's variables. */
export async function readAskedQuery(
  api: ManagementApi,
  teamId: string,
  asked: Pick<TestQuery, 'network' | 'graphql_query'>,
): Promise<{ service: NetworkService; plan: QueryPlan } | Rejection> {
  const service = evmService(api, asked.network)
  if (service instanceof Rejection) return service

  const plan = api.limits.queries.compile(teamId, textOf(asked.graphql_query), service.network)
  if (plan instanceof Rejection) return plan

  const variable = await otherKindThanUsed(api.database, teamId, plan.variables)
  return variable ? variableKindRefusal(variable) : { service, plan }
}

export function textOf(query: TestQuery['graphql_query']): string {
  return typeof query === 'string' ? query : query.query
}

export async function runTestQuery(
  api: ManagementApi,
  teamId: string,
  asked: TestQuery,
): Promise<DryRun | Rejection> {
  const named = asked.block === undefined ? null : whichBlock(asked.block)
  if (named instanceof Rejection) return named

  const query = await readAskedQuery(api, teamId, asked)
  if (query instanceof Rejection) return query

  const { service, plan } = query
  return dryRun(api, service, { teamId, plan }, named ?? plan.dryRunBlock)
}

/** The schema has seen to its form. */
function whichBlock(block: number | string): WhichBlock | Rejection {
  if (typeof block === 'number') return { number: block }
  if (block.length === HASH_LENGTH) return { hash: block.toLowerCase() }
  const number = block.startsWith('0x') ? quantityToNumber(block) : Number(block)
  if (number !== null && Number.isSafeInteger(number)) return { number }
  return new Rejection('validation', 'block must be a number below 2^53.')
}

export function evmService(api: ManagementApi, id: string): NetworkService | Rejection {
  const services = api.services()
  const service = services.find(({ network }) => network.id === id)
  if (service?.network.kind === 'evm') return service

  const evm = services.filter(({ network }) => network.kind === 'evm')
  const possible = evm.map(({ network }) => network.id).join(', ') || 'none'
  const fault = service ? 'is not an EVM network' : 'is not configured here'
  return new Rejection('validation', `network: ${id} ${fault}; possible are: ${possible}.`)
}

export function variableKindRefusal({ name, kind }: VariableUse): Rejection {
  return new Rejection(
    'validation',
    `graphql_query: the variable ${name} holds ${KIND_WORDS[kind]}; declare it as [${kind}!].`,
  )
}
