import {
  allocateSlots,
  endGrant,
  releaseSlot,
  type SlotGrant,
} from '../../../src/courier/schedule/allocate-slots.ts'
import type { StoredLane } from '../../../src/courier/schedule/outbox-question.ts'
import {
  addWebhook,
  enlist,
  type Host,
  place,
  type Schedule,
  type ScheduledWebhook,
} from '../../../src/courier/schedule/schedule.ts'
import {
  beginLoad,
  configure,
  endLoad,
  remind,
} from '../../../src/courier/schedule/webhook-queue.ts'
import type { CourierWebhook } from '../../../src/tables/webhooks/courier-webhooks.ts'

/** A webhook that has its place at a host. */
export type PlacedWebhook = ScheduledWebhook & { host: Host }

/** More slots than there are, for whoever wants all. */
export const NO_LIMIT = 10_000

/** A webhook of the schedule that wants something from these lanes of its outbox. */
export function wanting(
  schedule: Schedule,
  number: number,
  url: string,
  differing: Partial<CourierWebhook> = {},
  lanes: readonly StoredLane[] = ['new'],
): PlacedWebhook {
  const webhook: CourierWebhook = {
    number,
    id: `wh_${number}`,
    teamId: 'team_a',
    appId: null,
    network: 'ETH_MAINNET',
    url,
    ordered: false,
    state: 'active',
    key: { sealed: '', previousSealed: null, previousUntilMs: null },
    ...differing,
  }
  const scheduled = schedule.webhooks.get(number) ?? addWebhook(schedule, number)
  if (!scheduled) throw new Error('no room')
  place(schedule, scheduled, { webhook, keys: ['whsec_a'], previousKeyUntilMs: 0 })
  const { queue } = scheduled
  configure(queue, { isActive: webhook.state === 'active', isOrdered: webhook.ordered })
  remind(queue, lanes)
  for (const lane of ['new', 'retry', 'error'] as const) {
    if (!lanes.includes(lane)) endLoad(queue, beginLoad(queue, lane, 1, 0), false)
  }
  enlist(schedule, scheduled)
  return scheduled as PlacedWebhook
}

/** As after many successes. */
export function grow({ host }: PlacedWebhook, limit: number): void {
  host.health.limit = limit
  host.isProven = true
}

/** All that can be had at once. */
export function allocate(schedule: Schedule, nowMs = 0): SlotGrant[] {
  return allocateSlots(schedule, nowMs, NO_LIMIT)
}

/** Grants until there are none, each with all its slots used. */
export function takeAll(schedule: Schedule): SlotGrant[] {
  const all: SlotGrant[] = []
  for (let grants = allocate(schedule); grants.length > 0; grants = allocate(schedule)) {
    all.push(...grants)
    for (const grant of grants) endGrant(schedule, grant, grant.slots)
  }
  return all
}

/** One attempt of the grant is over. */
export function over(schedule: Schedule, grant: SlotGrant): void {
  releaseSlot(schedule, { ...grant, bytes: 0 })
}
