import { describe, expect, test } from 'bun:test'
import { quietTelemetry } from '../../../tests/support/basics/quiet-telemetry.ts'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import {
  type ScriptedSocket,
  scriptedSockets,
} from '../../../tests/support/nodes/scripted-sockets.ts'
import type { LogFields } from '../../ports/telemetry.ts'
import type { Upstream } from '../node/upstream.ts'
import { openUpstreamSubscription, type SubscriptionConnection } from './upstream-subscription.ts'

const SECOND = 1000
const HANDSHAKE_MS_MAX = 15 * SECOND

type Event = [what: string, ...about: string[]]

describe('a subscription', () => {
  test('has a session from the moment everything was granted until it ends', async () => {
    const { subscription, sockets, clock, events } = open(['a'])
    expect(subscription.session).toBeNull()
    const socket = sockets.all[0] as ScriptedSocket
    socket.accept()
    expect(subscription.session).toBeNull()
    socket.say('grant')
    expect(subscription.session?.upstream).toBe('a')
    socket.say('hello')
    socket.drop()
    await clock.advance(0)
    expect(subscription.session).toBeNull()
    expect(events).toEqual([
      ['opened', 'a'],
      ['received', 'a', 'grant'],
      ['received', 'a', 'hello'],
      ['ended', 'a', 'lost'],
    ])
  })

  test('goes on to the next upstream, and comes round again', async () => {
    const { sockets, clock } = open(['a', 'b', 'c'])
    sockets.auto = (socket) => socket.drop()
    sockets.all[0]?.drop()
    await clock.advance(0)
    await clock.advance(10 * SECOND)
    const hosts = sockets.all.map(({ url }) => new URL(url).hostname)
    expect(hosts.slice(0, 5)).toEqual(['a', 'b', 'c', 'a', 'b'])
  })

  test('waits for an upstream that has a socket', async () => {
    const names: string[] = []
    const { sockets, clock, log } = open(names)
    await clock.advance(60 * SECOND)
    expect(sockets.all).toHaveLength(0)
    expect(log).toEqual([{ network: 'NET', upstream: null, state: 'lost', reason: 'no_socket' }])
    names.push('late')
    await clock.advance(30 * SECOND)
    expect(sockets.all).toHaveLength(1)
  })

  test('ends a connection for the first reason given, and takes no message after it', async () => {
    const { sockets, clock, events, log } = open(['a'])
    const socket = sockets.all[0] as ScriptedSocket
    socket.accept()
    socket.say('end garbage')
    socket.say('end again')
    socket.say('grant')
    await clock.advance(0)
    expect(socket.state).toBe('closed')
    expect(events.slice(1)).toEqual([
      ['received', 'a', 'end garbage'],
      ['ended', 'a', 'garbage'],
    ])
    expect(log).toMatchObject([{ state: 'lost', reason: 'garbage' }])
  })

  test('is not established by an upstream that grants it and is given up at once', async () => {
    const { sockets, clock, log } = open(['a'])
    const socket = sockets.all[0] as ScriptedSocket
    socket.accept()
    socket.say('end-and-grant')
    await clock.advance(0)
    expect(log.map(({ state }) => state)).toEqual(['lost'])
  })

  test('gives up an upstream that never grants it', async () => {
    const { sockets, clock, events } = open(['a'])
    sockets.all[0]?.accept()
    await clock.advance(HANDSHAKE_MS_MAX - 1)
    expect(sockets.all[0]?.state).toBe('open')
    await clock.advance(SECOND)
    expect(events.at(-1)).toEqual(['ended', 'a', 'no_answer'])
  })

  test('looks for silence only where everything was granted', async () => {
    const { sockets, clock, events } = open(['a'])
    const socket = sockets.all[0] as ScriptedSocket
    socket.accept()
    await clock.advance(3 * SECOND)
    expect(events).not.toContainEqual(['checked', 'a'])
    socket.say('grant')
    await clock.advance(3 * SECOND)
    expect(events.filter(([what]) => what === 'checked')).toHaveLength(3)
  })

  test.each([
    ['has delivered for half a minute', 'deliver', 30, 500],
    ['has delivered for a moment', 'deliver', 29, 1000],
    ['has granted everything and sent nothing', 'grant', 300, 1000],
  ])('that breaks when it %s comes back in time', async (_title, text, lastedS, waitMs) => {
    const { sockets, clock } = open(['a'])
    sockets.all[0]?.drop()
    await clock.advance(0)
    await clock.advance(500)
    const second = sockets.all[1] as ScriptedSocket
    second.accept()
    second.say('grant')
    second.say(text)
    await clock.advance(lastedS * SECOND)
    second.drop()
    await clock.advance(0)
    await clock.advance(waitMs - 1)
    expect(sockets.all).toHaveLength(2)
    await clock.advance(1)
    expect(sockets.all).toHaveLength(3)
  })

  test('logs each upstream that fails once, until it was open again', async () => {
    const { sockets, clock, log } = open(['a', 'b'])
    const script: ((socket: ScriptedSocket) => void)[] = [
      (socket) => socket.drop('unreachable'),
      (socket) => socket.drop('lost'),
      (socket) => socket.drop('lost'),
      (socket) => socket.drop('unreachable'),
      grant,
    ]
    sockets.auto = (socket) => script.shift()?.(socket)
    await clock.advance(20 * SECOND)
    sockets.live()[0]?.drop()
    await clock.advance(0)
    expect(log.map(({ upstream, state, reason }) => [upstream, state, reason])).toEqual([
      ['a', 'lost', 'unreachable'],
      ['b', 'lost', 'lost'],
      ['a', 'open', null],
      ['a', 'lost', 'lost'],
    ])
  })

  test.each([
    ['it is dialling', () => {}],
    ['it is established', (socket: ScriptedSocket) => grant(socket)],
    ['it has just broken', (socket: ScriptedSocket) => socket.drop()],
  ])('can be stopped while %s, and leaves nothing behind', async (_title, before) => {
    const { subscription, sockets, clock, events } = open(['a'])
    before(sockets.all[0] as ScriptedSocket)
    subscription.stop()
    subscription.stop()
    expect(subscription.session).toBeNull()
    await clock.advance(120 * SECOND)
    expect(sockets.live()).toHaveLength(0)
    expect(sockets.all).toHaveLength(1)
    expect(clock.timers()).toBe(0)
    expect(events.filter(([what]) => what === 'ended')).toEqual([['ended', 'a', 'stopped']])
  })

  test('can be stopped while it waits to reconnect', async () => {
    const { subscription, sockets, clock } = open(['a'])
    sockets.all[0]?.drop()
    await clock.advance(0)
    subscription.stop()
    await clock.advance(120 * SECOND)
    expect(sockets.all).toHaveLength(1)
    expect(clock.timers()).toBe(0)
  })
})

function grant(socket: ScriptedSocket): void {
  socket.accept()
  socket.say('grant')
}

/** A subscription at these upstreams, whose session does what the words it receives say. */
function open(names: readonly string[]) {
  const clock = testClock()
  const sockets = scriptedSockets()
  const events: Event[] = []
  const log: LogFields[] = []
  const telemetry = {
    ...quietTelemetry(),
    log: (_level: string, _event: string, fields: LogFields) => void log.push(fields),
  }
  let next = 0
  const subscription = openUpstreamSubscription(
    { clock, sockets, telemetry },
    {
      network: 'NET',
      logEvent: 'exam_socket',
      handshakeMsMax: HANDSHAKE_MS_MAX,
      messageCharsMax: 1000,
      nextUpstream: () => (names.length > 0 ? upstreamOf(names[next++ % names.length]) : null),
      openSession: (connection) => sessionOf(connection, events),
    },
  )
  return { subscription, sockets, clock, events, log }
}

function sessionOf(connection: SubscriptionConnection, events: Event[]) {
  const upstream = connection.upstream.spec.name
  let hasDelivered = false
  return {
    upstream,
    get hasDelivered() {
      return hasDelivered
    },
    opened: () => void events.push(['opened', upstream]),
    received(text: string) {
      events.push(['received', upstream, text])
      const [word = '', reason = ''] = text.split(' ')
      if (word.startsWith('end')) connection.end(reason)
      if (word.endsWith('grant')) connection.established()
      if (word === 'deliver') hasDelivered = true
    },
    checkSilence: () => void events.push(['checked', upstream]),
    ended: (reason: string) => void events.push(['ended', upstream, reason]),
  }
}

const upstreams = new Map<string, Upstream>()

/** A subscription asks no more of an upstream than this. */
function upstreamOf(name = ''): Upstream {
  const known = upstreams.get(name)
  if (known) return known
  const upstream = { spec: { name, ws: `ws://${name}/` } } as Upstream
  upstreams.set(name, upstream)
  return upstream
}
