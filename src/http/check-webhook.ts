import { Rejection } from '../core/errors.ts'
import { compileForNetwork } from '../core/query/compile-for-network.ts'
import type { Database } from '../ports/database.ts'
import type { Egress } from '../ports/egress.ts'
import { findApp } from '../tables/apps.ts'
import { evmService, type ServiceNeeds } from './evm-service.ts'

export type CheckNeeds = ServiceNeeds & {
  database: Database
  egress: Pick<Egress, 'vet'>
}

/** What of a webhook is new and must be looked at; the network is known in any case. */
type Given = { network: string; query?: string; url?: string; appId?: string | null }

/** Why a webhook cannot be so, or null. What costs least is looked at first. */
export async function unfitWebhook(
  needs: CheckNeeds,
  teamId: string,
  { network, query, url, appId = null }: Given,
): Promise<Rejection | null> {
  const refused = query === undefined ? null : unfitQuery(needs, network, query)
  if (refused) return refused

  if (appId !== null && !(await findApp(needs.database, teamId, appId))) {
    return new Rejection('validation', `app_id: this team has no app ${appId}.`)
  }

  const reason = url === undefined ? null : await needs.egress.vet(url, teamId)
  return reason === null ? null : new Rejection('validation', `webhook_url: ${reason}.`)
}

function unfitQuery(needs: CheckNeeds, network: string, query: string): Rejection | null {
  const service = evmService(needs, network)
  if (service instanceof Rejection) return service

  // The block that `block(number:)` names is for dry runs: a standing query ignores it.
  const plan = compileForNetwork(query, service.network)
  return plan instanceof Rejection ? plan : null
}
