import { expect, test } from 'bun:test'
import { queueModel } from '../../../tests/support/deliveries/queue-model.ts'
import { wanting } from '../../../tests/support/deliveries/scheduled-webhooks.ts'
import { openOwnedWebhooks } from './owned-webhooks.ts'
import { openSchedule } from './schedule.ts'
import { beginLoad, endLoad, nextNew, refill, started } from './webhook-queue.ts'

/** One webhook whose first delivery is under way, and what may be told of it. */
function oneWebhook() {
  const schedule = openSchedule()
  const webhook = wanting(schedule, 1, 'https://a.example/')
  const { queue } = webhook
  const model = queueModel()
  const first = model.commit('data')
  const load = beginLoad(queue, 'new', 1, 0)
  if (load.question) refill(queue, load, model.read(load.question))
  endLoad(queue, load, false)
  started(queue, first)
  const webhooks = openOwnedWebhooks({
    clock: { monotonicMs: () => 0 },
    schedule,
    oldest: { note() {}, roundEnded() {}, stop() {} },
    webhookSettings: { outdated() {}, isReadDue: () => false, read: async () => {}, changes },
    results: { atHand: () => undefined, read: async () => null, keep() {} },
    owns: () => true,
  })
  return { webhook, queue, model, webhooks }
}

const changes = async () => []

test('a delivery that was read goes out behind the one before it', () => {
  const { queue, model, webhooks } = oneWebhook()
  const reading = webhooks.beginReading()
  const next = model.commit('data')
  reading.offer({ deliveries: [next], results: [] })
  reading.end()
  expect(nextNew(queue)).toBe(next)
})

test('a delivery that was settled while it was read is not sent again', () => {
  const { webhook, queue, model, webhooks } = oneWebhook()
  const reading = webhooks.beginReading()
  const next = model.commit('data')
  // By way of a replay, for instance.
  started(queue, next)
  webhooks.settled(webhook, next.event, false)
  reading.offer({ deliveries: [next], results: [] })
  reading.end()
  expect(nextNew(queue)).toBeUndefined()
})
