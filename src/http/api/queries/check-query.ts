import { type QueryError, Rejection } from '../../../core/errors.ts'
import { compileForNetwork } from '../../../core/query/language/compile-for-network.ts'
import { compileQuery, findQueryErrors } from '../../../core/query/language/compile-query.ts'
import type { QueryPlan } from '../../../core/query/language/query-plan.ts'
import { listFields } from '../../../core/query/output/result-template.ts'
import { variablesNamed } from '../../../tables/webhooks/webhook-variables.ts'
import { QUERY_ERRORS_MAX, type WireQueryCheck } from '../../contract/query-checks.ts'
import type { Handler } from '../calls/handler.ts'
import type { ManagementApi } from '../management-api.ts'
import { evmService, textOf, variableKindRefusal } from './asked-query.ts'

/** Compiles and tells, without a node: for editors, which ask while somebody types. */
export const checkQuery: Handler<'checkQuery'> = async (api, call) => {
  const { network, graphql_query: query } = call.body
  const service = network === undefined ? null : evmService(api, network)
  if (service instanceof Rejection) return service

  const text = textOf(query)
  const tooMany = api.limits.checks.count(call.team.id, text)
  if (tooMany) return tooMany

  const plan = service ? compileForNetwork(text, service.network) : compileQuery(text)
  if (plan instanceof Rejection) {
    return { data: wrong(findQueryErrors(text, plan, QUERY_ERRORS_MAX)) }
  }
  return { data: await checkVariables(api, call.team.id, plan) }
}

async function checkVariables(
  { database }: ManagementApi,
  teamId: string,
  plan: QueryPlan,
): Promise<WireQueryCheck> {
  const names = plan.variables.map(({ name }) => name)
  const known = names.length === 0 ? [] : await variablesNamed(database, teamId, names)
  const byName = new Map(known.map((variable) => [variable.name, variable]))
  const others = plan.variables.flatMap(({ name, kind }) => {
    const variable = byName.get(name)
    return variable && variable.kind !== kind ? [variableKindRefusal(variable)] : []
  })
  if (others.length > 0) {
    return wrong(others.map(({ message }) => ({ message, place: null })).slice(0, QUERY_ERRORS_MAX))
  }
  return {
    ok: true,
    errors: [],
    variables: plan.variables.map(({ name, kind }) => {
      return { name, kind, items: byName.get(name)?.items ?? null }
    }),
    is_filtered: plan.selection.fields.some(({ filter }) => filter !== null),
    can_be_empty: listFields(plan).length > 0,
    needs_receipts: plan.wants.receipts,
    needs_traces: plan.wants.traces,
  }
}

function wrong(errors: readonly QueryError[]): WireQueryCheck {
  return {
    ok: false,
    errors: errors.map(({ message, place }) => {
      const { line = null, column = null, length = null } = place ?? {}
      // The field is named where a call has several; here all is about the one.
      return { message: message.replace(/^graphql_query: /, ''), line, column, length }
    }),
    variables: [],
    is_filtered: null,
    can_be_empty: null,
    needs_receipts: null,
    needs_traces: null,
  }
}
