import { checkDestination } from '../../../core/delivery/check-destination.ts'
import { Rejection } from '../../../core/errors.ts'
import type { VariableUse } from '../../../core/query/language/query-plan.ts'
import { stripBlockArguments } from '../../../core/query/language/strip-block-arguments.ts'
import { findApp } from '../../../tables/accounts/apps.ts'
import type { ManagementApi } from '../management-api.ts'
import { evmService } from '../queries/asked-query.ts'

/** The parts of a webhook that are new and must be checked; the network is always known. */
type Given = { network: string; query?: string; url?: string; appId?: string | null }

/** The query as it is stored, without the block that it names for dry runs. */
type CheckedQuery = { query: string; variables: readonly VariableUse[] }

/**
 * Answers the query in the form in which it is stored, null where none is given, or the reason
 * why the webhook is invalid. The cheapest checks come first.
 */
export async function checkWebhook(
  api: ManagementApi,
  teamId: string,
  { network, query, url, appId = null }: Given,
): Promise<CheckedQuery | null | Rejection> {
  // The form alone; the address behind the URL is looked up at the end.
  const malformed = url === undefined ? null : checkDestination(url, true)
  if (typeof malformed === 'string') return invalidUrl(malformed)

  const invalidApp = appId === null ? null : await checkApp(api, teamId, appId, network)
  if (invalidApp) return invalidApp

  const checked = query === undefined ? null : checkQuery(api, teamId, network, query)
  if (checked instanceof Rejection) return checked

  const reason = url === undefined ? null : await api.egress.vet(url, teamId)
  return reason === null ? checked : invalidUrl(reason)
}

async function checkApp(
  { database }: ManagementApi,
  teamId: string,
  appId: string,
  network: string,
): Promise<Rejection | null> {
  const found = await findApp(database, teamId, appId)
  if (!found) return new Rejection('validation', `app_id: this team has no app ${appId}.`)
  if (found.app.networks.includes(network)) return null
  return new Rejection('validation', `app_id: the app ${appId} does not have ${network}.`)
}

function checkQuery(
  api: ManagementApi,
  teamId: string,
  network: string,
  query: string,
): CheckedQuery | Rejection {
  const service = evmService(api, network)
  if (service instanceof Rejection) return service

  const plan = api.limits.queries.compile(teamId, query, service.network)
  if (plan instanceof Rejection) return plan
  const { variables, dryRunBlock } = plan
  return { query: dryRunBlock === null ? query : stripBlockArguments(query), variables }
}

function invalidUrl(reason: string): Rejection {
  return new Rejection('validation', `webhook_url: ${reason}.`)
}
