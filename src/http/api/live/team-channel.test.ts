import { describe, expect, test } from 'bun:test'
import type { EventTopic } from '../../contract/contract.ts'
import type { LiveEvent } from './readers/live-events.ts'
import { openTeamChannel, type StreamSubscriber, type TeamChannel } from './team-channel.ts'

const delivery = (webhookId: string, data = '{}'): LiveEvent => {
  return { topic: 'deliveries', name: 'delivery', webhookId, data }
}
const head = (data = '{}'): LiveEvent => {
  return { topic: 'heads', name: 'head', webhookId: null, data }
}

function channelOf(...topics: EventTopic[]): TeamChannel {
  const channel = openTeamChannel('epoch')
  channel.hear(topics)
  return channel
}

function subscriberOf(topics: EventTopic[], webhookId: string | null = null) {
  const ids: string[] = []
  const subscriber: StreamSubscriber = {
    topics: new Set(topics),
    webhookId,
    send: (text) => ids.push(/^id: (.*)$/m.exec(text)?.[1] ?? ''),
  }
  return { ids, subscriber }
}

describe('the events of a team', () => {
  test('go to the streams that asked for their topic and their webhook', () => {
    const channel = channelOf('heads', 'deliveries')
    const all = subscriberOf(['heads', 'deliveries'])
    const one = subscriberOf(['deliveries'], 'wh_1')
    for (const { subscriber } of [all, one]) channel.subscribers.add(subscriber)
    for (const event of [head(), delivery('wh_1'), delivery('wh_2')]) channel.push(event)
    expect(all.ids).toEqual(['epoch.1', 'epoch.2', 'epoch.3'])
    expect(one.ids).toEqual(['epoch.2'])
  })

  test('are told again to who comes back, from where it was', () => {
    const channel = channelOf('heads', 'deliveries')
    for (const event of [head(), delivery('wh_1'), head(), delivery('wh_2')]) channel.push(event)
    const { ids, subscriber } = subscriberOf(['deliveries'])
    expect(channel.resume(subscriber, 'epoch.2')).toEqual([])
    expect(ids).toEqual(['epoch.4'])
    expect(channel.resume(subscriber, channel.lastId())).toEqual([])
    expect(ids).toEqual(['epoch.4'])
  })

  test('of a topic that nobody listened to at that time cannot be told', () => {
    const channel = channelOf('heads')
    channel.push(head())
    channel.push(head())
    channel.hear(['deliveries'])
    channel.push(delivery('wh_1'))
    const { ids, subscriber } = subscriberOf(['heads', 'deliveries'])
    expect(channel.resume(subscriber, 'epoch.1')).toEqual(['deliveries'])
    expect(ids).toEqual(['epoch.2'])
    expect(channel.resume(subscriber, 'epoch.2')).toEqual([])
    expect(ids).toEqual(['epoch.2', 'epoch.3'])
  })

  test.each([
    ['', 'nothing'],
    ['epoch', 'no number'],
    ['epoch.', 'no number'],
    ['epoch.4', 'a number of the future'],
    ['epoch.-1', 'a number below all'],
    ['epoch.1e0', 'another form'],
    ['epoch.1\nevent: forged', 'a line break'],
    ['other.1', 'another channel'],
    ['epoch.99999999999999999999', 'a number that is too large'],
  ])('cannot be told after %p: %s', (id) => {
    const channel = channelOf('heads')
    for (let at = 0; at < 3; at++) channel.push(head())
    const { ids, subscriber } = subscriberOf(['heads'])
    expect(channel.resume(subscriber, id)).toEqual(['heads'])
    expect(ids).toEqual([])
  })

  test('are kept up to a number and a size, and older ones are not made up', () => {
    const channel = channelOf('heads')
    for (let at = 1; at <= 2_005; at++) channel.push(head())
    const { ids, subscriber } = subscriberOf(['heads'])
    expect(channel.resume(subscriber, 'epoch.4')).toEqual(['heads'])
    expect(channel.resume(subscriber, 'epoch.5')).toEqual([])
    expect(ids).toHaveLength(2_000)
    for (let at = 0; at < 10; at++) channel.push(head(JSON.stringify('x'.repeat(50_000))))
    const later = subscriberOf(['heads'])
    expect(channel.resume(later.subscriber, 'epoch.2005')).toEqual(['heads'])
    expect(channel.resume(later.subscriber, 'epoch.2012')).toEqual([])
    expect(later.ids).toHaveLength(3)
  })
})
