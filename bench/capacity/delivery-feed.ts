import { hintCouriers } from '../../src/courier/hint-couriers.ts'
import { insertTeam } from '../../src/tables/accounts/teams.ts'
import { recordEvent } from '../../src/tables/chain/chain-events.ts'
import { createWebhook } from '../../src/tables/webhooks/webhooks.ts'
import { eventAt, sealedKey, webhookCalled } from '../../tests/support/deliveries/webhook-store.ts'
import { DATA_TEXT, SIGNING_KEY, type StandWebhook } from '../delivery-stand.ts'
import type { openStore } from './open-store.ts'

type Store = Awaited<ReturnType<typeof openStore>>

export const TEAM = 'team_bench'

/** Deliveries of one event. */
export const PER_EVENT = 200

/** The network of the processes that send, as they are told of it. */
const NETWORK = 'NETWORK_0'

/** Commits events for all webhooks, each with a result of its own, when `paced` lets it. */
export async function openFeed(
  { database, secrets, signals }: Store,
  webhooks: readonly StandWebhook[],
) {
  const team = { id: TEAM, name: TEAM, tier: 'enterprise', autoscaling: true, createdAtMs: 1 }
  await insertTeam(database, team)
  for (const { id, ...differing } of webhooks) {
    const webhook = webhookCalled(id, { ...differing, network: NETWORK })
    await createWebhook(database, webhook, sealedKey(secrets, id, SIGNING_KEY), PER_EVENT)
  }
  const result = { data: DATA_TEXT, bytes: DATA_TEXT.length, truncation: null }
  const due = webhooks.map(({ id }) => ({ ...result, webhookIds: [id] }))
  const couriers = hintCouriers(signals)
  let previous: number | null = null
  let height = 0
  return async (count: number, paced: () => Promise<void>): Promise<void> => {
    for (let made = 0; made < count; made += PER_EVENT) {
      await paced()
      const told = { network: NETWORK, atMs: Date.now(), keepFrom: ++height, due }
      const recorded = await recordEvent(database, eventAt(height, previous, told))
      if (recorded === 'lost') throw new Error('nobody else moves this chain')
      previous = recorded.sequenceNumber
      couriers.remind(recorded)
    }
  }
}
