import { describe, expect, test } from 'bun:test'
import type { NewArrival } from './arrivals.ts'
import { openInboxes } from './inboxes.ts'

type Posted = Partial<Omit<NewArrival, 'id'>>

function opened() {
  const inboxes = openInboxes('http://localhost:8080')
  const add = (name: string, posted: Posted = {}) => inboxes.add(name, arrival(posted))
  return { inboxes, add }
}

function arrival(posted: Posted): Omit<NewArrival, 'id'> {
  return {
    time: 1,
    delivery_id: null,
    webhook_id: null,
    network: null,
    kind: null,
    sequence_number: null,
    previous_sequence_number: null,
    block_number: null,
    status_answered: 200,
    signature: 'missing',
    signature_fault: null,
    is_replay: false,
    bytes: 2,
    headers: {},
    body: '{}',
    is_body_cut: false,
    ...posted,
  }
}

/** A delivery of a webhook: its number, the one before it, and its height. */
function delivery(sequence: number, previous: number | null, height = sequence): Posted {
  return {
    delivery_id: `whevt_${sequence}`,
    webhook_id: 'wh_1',
    kind: 'data',
    sequence_number: `${sequence}`,
    previous_sequence_number: previous === null ? null : `${previous}`,
    block_number: height,
  }
}

describe('inboxes', () => {
  test('are bounded: 50 of them, of which the one used longest ago goes', () => {
    const { inboxes, add } = opened()
    for (let at = 10; at < 60; at++) add(`inbox-${at}`)
    add('inbox-10')
    add('inbox-60')
    const names = inboxes.list().map(({ name }) => name)
    expect(names).toHaveLength(50)
    expect(names).toContain('inbox-10')
    expect(names).not.toContain('inbox-11')
    expect(inboxes.find('inbox-11')).toMatchObject({ arrivals: 0, behaviour: 'accept' })
  })

  test('are bounded: 500 arrivals each', () => {
    const { inboxes, add } = opened()
    for (let at = 0; at < 600; at++) add('full', { body: `${at}` })
    expect(inboxes.find('full').arrivals).toBe(500)
    const all = inboxes.arrivals('full', 1000, undefined)
    expect([all[0]?.body, all.at(-1)?.body]).toEqual(['599', '100'])
  })

  test('are bounded: 32 MiB in all, of which the oldest go, in whichever inbox', () => {
    const { inboxes, add } = opened()
    const body = 'x'.repeat(1_000_000)
    for (let at = 0; at < 20; at++) add('first', { body })
    for (let at = 0; at < 20; at++) add('second', { body })
    expect(inboxes.find('second').arrivals).toBe(20)
    expect(inboxes.find('first').arrivals).toBe(13)
    inboxes.empty('second')
    for (let at = 0; at < 20; at++) add('third', { body })
    expect(inboxes.find('first').arrivals).toBe(13)
  })
})

describe('an arrival', () => {
  test('is a repeat when its delivery was there before', () => {
    const { add } = opened()
    expect(add('in', delivery(7, null))).toMatchObject({ is_repeat: false, attempt: 1 })
    expect(add('in', delivery(7, null))).toMatchObject({ is_repeat: true, attempt: 2 })
    expect(add('in', delivery(8, 7))).toMatchObject({ is_repeat: false, attempt: 1 })
    expect(add('other', delivery(7, null))).toMatchObject({ is_repeat: false })
    expect(add('in')).toMatchObject({ is_repeat: false, attempt: 0 })
  })

  test('is a re-run when its height was there with a lower number, whatever their length', () => {
    const { inboxes, add } = opened()
    add('in', delivery(99, null, 5))
    expect(add('in', delivery(100, 99, 5)).is_rerun).toBe(true)
    // An old version that comes late is none.
    expect(add('in', delivery(98, 97, 5)).is_rerun).toBe(false)
    expect(add('in', { ...delivery(200, null, 5), webhook_id: 'wh_2' }).is_rerun).toBe(false)
    const shown = inboxes.arrivals('in', 10, undefined)
    expect(shown.map(({ is_superseded }) => is_superseded)).toEqual([false, true, false, true])
    // The first to come is one too, as is known now.
    expect(shown.map(({ is_rerun }) => is_rerun)).toEqual([false, false, true, true])
  })

  test('shows a gap until the delivery before it has come', () => {
    const { inboxes, add } = opened()
    const gaps = () => inboxes.arrivals('in', 10, undefined).map(({ is_gap }) => is_gap)
    add('in', delivery(10, 9))
    expect(gaps()).toEqual([false])
    add('in', delivery(13, 12))
    expect(gaps()).toEqual([true, false])
    add('in', { ...delivery(3, 2), is_replay: true })
    expect(gaps()).toEqual([false, true, false])
    add('in', delivery(12, 10))
    expect(gaps()).toEqual([false, false, false, false])
  })
})
