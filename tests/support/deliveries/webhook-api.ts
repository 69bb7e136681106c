import type { Network } from '../../../src/core/network.ts'
import type { ManagementApi } from '../../../src/http/api/management-api.ts'
import { createTeam, createToken } from '../../../src/tables/accounts/new-accounts.ts'
import { type DueResult, recordEvent } from '../../../src/tables/chain/chain-events.ts'
import type { AttemptFacts } from '../../../src/tables/deliveries/attempt-facts.ts'
import { findDelivery } from '../../../src/tables/deliveries/log/delivery-page.ts'
import {
  type AttemptOutcome,
  settleDeliveries,
} from '../../../src/tables/deliveries/settle-deliveries.ts'
import type { NetworkService } from '../../../src/upstream/answers/ask-network.ts'
import { managementApi, START_MS } from '../../management-api.ts'
import { testClock } from '../basics/test-clock.ts'
import type { CallOptions } from '../product/checked-call.ts'
import { fenceOf, outcomeOf } from './delivery-store.ts'
import { eventAt } from './webhook-store.ts'

type Next = AttemptOutcome['next']

export type WebhookApi = Awaited<ReturnType<typeof webhookApi>>

export const QUERY = '{ block { number } }'

/** The newest block of every network. */
export const HEAD = 2_000_000

export const NEW_WEBHOOK = {
  network: 'ETH_MAINNET',
  webhook_type: 'GRAPHQL',
  webhook_url: 'https://receiver.example/hook',
  graphql_query: QUERY,
}

/** The attempt of a delivery that the destination accepted. */
export const ACCEPTED: AttemptFacts = {
  startedAtMs: START_MS + 5,
  status: 200,
  fault: null,
  ms: { lookup: 1, connect: 2, tls: 0, answer: 3, total: 6 },
  bodyStart: 'thanks',
  address: '93.184.215.14',
  queue: 'new',
}

/** The management API over two EVM networks, one of them without traces, and a Solana one. */
export async function webhookApi(overrides: Partial<ManagementApi> = {}) {
  const services = [
    serviceOf('ETH_MAINNET', 'evm', true),
    serviceOf('BASE_MAINNET', 'evm', false),
    serviceOf('SOLANA_MAINNET', 'solana', false),
  ]
  const api = await managementApi({ services: () => services, ...overrides })
  const { database } = api.needs
  const other = await createTeam(database, api.needs, { name: 'Rivals', tier: 'free' })
  const create = (differing: Record<string, unknown> = {}, options: CallOptions = {}) =>
    api.call('POST', '/api/create-webhook', {
      body: { ...NEW_WEBHOOK, ...differing },
      ...options,
    })
  return {
    ...api,
    other: { id: other.team.id, token: other.token },
    create,
    /** The webhook as the answer shows it; it must succeed. */
    async created(differing: Record<string, unknown> = {}, options: CallOptions = {}) {
      const { status, body } = await create(differing, options)
      if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body.data
    },
    async list(options: CallOptions = {}) {
      return (await api.call('GET', '/api/team-webhooks', options)).body.data
    },
    update: (body: Record<string, unknown>, options: CallOptions = {}) =>
      api.call('PUT', '/api/update-webhook', { body, ...options }),
    /** An event of ETH_MAINNET with one result for those webhooks; the ids of its deliveries. */
    async event(number: number, previous: number | null, due: readonly DueResult[], atMs = 0) {
      const recorded = await recordEvent(
        database,
        eventAt(number, previous, { network: 'ETH_MAINNET', due, atMs: START_MS + atMs }),
      )
      if (recorded === 'lost') throw new Error('the event does not follow the last')
      return recorded
    },
    /** What became of a delivery, as the courier writes it. */
    async attempt(id: string, attempt: AttemptFacts, next: Next) {
      const found = await findDelivery(database, api.teamId, id)
      if (!found) throw new Error(`the team has no delivery ${id}`)
      const outcome = outcomeOf(found, { next, attempt, bodyBytes: 200, bill: null })
      const missed = await settleDeliveries(database, await fenceOf(database), [outcome])
      if (missed === 'fenced' || missed.size > 0) throw new Error('the outcome was not written')
    },
    /** Another token of the team. */
    async moreToken() {
      const wanted = { kind: 'team', teamId: api.teamId, name: 'more' } as const
      return (await createToken(database, api.needs, wanted)).token
    },
  }
}

function serviceOf(id: string, kind: Network['kind'], traces: boolean): NetworkService {
  const network = { id, kind, upstreams: [{ traces }] }
  const nodes = { upstreams: [], followStateOf: new Map(), clock: testClock() }
  const pool = { selection: { head: { number: HEAD }, ...nodes } }
  return { network, pool } as unknown as NetworkService
}
