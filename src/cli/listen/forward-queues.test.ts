import { describe, expect, test } from 'bun:test'
import { until } from '../../../tests/support/basics/until.ts'
import type { ListedDelivery } from './delivery-log.ts'
import type { Forwarded } from './forward-delivery.ts'
import { openForwardQueues } from './forward-queues.ts'

const outgoing = (id: string, webhook: string) => ({
  delivery: { id, webhook_id: webhook } as ListedDelivery,
  isAgain: false,
})

const how = (outcome: Forwarded['outcome']): Forwarded => {
  return { outcome, status: null, ms: 0, tries: 1, bytes: 0 }
}

/** Lanes whose deliveries end when they are told to. */
function stage() {
  const begun: string[] = []
  const tries: number[] = []
  const done: string[] = []
  const failures: unknown[] = []
  const waiting = new Map<string, (outcome: Forwarded) => void>()
  const queues = openForwardQueues({
    triesMax: 5,
    forward({ delivery }, triesMax) {
      begun.push(delivery.id)
      tries.push(triesMax)
      return new Promise((resolve) => void waiting.set(delivery.id, resolve))
    },
    forwarded: ({ delivery }) => void done.push(delivery.id),
    leftOut: ({ delivery }) => void done.push(`left out ${delivery.id}`),
    failed: (thrown) => void failures.push(thrown),
  })
  const end = async (id: string, outcome: Forwarded['outcome'] = 'accepted') => {
    await until(() => waiting.has(id), `${id} is on its way`)
    waiting.get(id)?.(how(outcome))
    await until(() => done.includes(id), `${id} is done`)
  }
  return { queues, begun, tries, done, end }
}

describe('the queues of webhooks', () => {
  test('keep the order of one webhook, and let no other wait for it', async () => {
    const { queues, begun, done, end } = stage()
    for (const id of ['a1', 'a2']) queues.add(outgoing(id, 'wh_a'))
    queues.add(outgoing('b1', 'wh_b'))
    expect(begun).toEqual(['a1', 'b1'])
    await end('b1')
    expect(queues.waiting).toBe(2)
    await end('a1')
    await end('a2')
    expect([done, queues.waiting]).toEqual([['b1', 'a1', 'a2'], 0])
  })

  test('try an app that was down once only, until it is back', async () => {
    const { queues, tries, end } = stage()
    for (const id of ['a1', 'a2', 'a3', 'a4']) queues.add(outgoing(id, 'wh_a'))
    await end('a1', 'down')
    await end('a2', 'down')
    await end('a3')
    await end('a4')
    expect(tries).toEqual([5, 1, 1, 5])
  })

  test('leave the oldest out when too many wait, but not the one on its way', () => {
    const { queues, done } = stage()
    for (let at = 0; at <= 10_001; at++) queues.add(outgoing(`a${at}`, 'wh_a'))
    expect(done).toEqual(['left out a1', 'left out a2'])
  })
})
