import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { relayedSignalsConformance } from '../../../tests/conformance/relayed-signals-conformance.ts'
import { signalsConformance } from '../../../tests/conformance/signals-conformance.ts'
import { until } from '../../../tests/support/basics/until.ts'
import { heardFrom } from '../../../tests/support/deliveries/heard-from.ts'
import {
  isNatsMissing,
  type NatsTestServer,
  sayNatsIsMissing,
  startNatsServer,
} from '../../../tests/support/nats/nats-server.ts'
import {
  closeNatsSignals,
  type NatsSignals,
  openNatsSignals,
} from '../../../tests/support/nats/nats-stage.ts'

const LOST = 'headgate_signals_lost_total away'
const ECHO = new URL('../../../tests/support/nats/nats-signals-process.ts', import.meta.url)

if (isNatsMissing) sayNatsIsMissing()
else tests()

function tests(): void {
  closeNatsSignals()
  const servers = new Set<NatsTestServer>()
  const started = async (...options: Parameters<typeof startNatsServer>) => {
    const server = await startNatsServer(...options)
    servers.add(server)
    return server
  }
  afterEach(async () => {
    await Promise.all([...servers].map((server) => server.close()))
    servers.clear()
  })

  describe('on a server that is well', () => {
    let server: NatsTestServer
    beforeAll(async () => {
      server = await startNatsServer()
    })
    afterAll(() => server.close())
    const open = async () => openNatsSignals(urlOf(server))

    signalsConformance('nats', open)
    relayedSignalsConformance('nats', open)

    test('two processes hear each other', async () => {
      const signals = await open()
      const processes = [1, 2].map(() =>
        Bun.spawn([process.execPath, ECHO.pathname, urlOf(server)], { stdin: 'pipe' }),
      )
      const heard = new Set<string>()
      signals.subscribe('answers', (text) => heard.add(text))
      const answers = processes.map(({ pid }) => `${pid} Grüße`)
      await until(() => {
        signals.publish('calls', 'Grüße')
        return answers.every((answer) => heard.has(answer))
      }, 'both processes answer')
      for (const child of processes) child.stdin.end()
      expect(await Promise.all(processes.map(({ exited }) => exited))).toEqual([0, 0])
      expect([...heard].toSorted()).toEqual(answers.toSorted())
    })

    test('two clusters on one server do not hear each other', async () => {
      const [here, there] = [await open(), await open()]
      const other = openNatsSignals(urlOf(server), { cluster: 'test2' })
      const otherTwin = openNatsSignals(urlOf(server), { cluster: 'test2' })
      await heardFrom(here, there)
      await heardFrom(other, otherTwin)
      const heard: string[] = []
      for (const one of [other, otherTwin]) one.subscribe('a', (text) => heard.push(text))
      here.publish('a', 'ours')
      await heardFrom(here, there)
      await heardFrom(other, otherTwin)
      expect(heard).toEqual([])
    })
  })

  test('a server that was killed is heard again when it is back', async () => {
    const server = await started()
    const [here, there] = [openNatsSignals(urlOf(server)), openNatsSignals(urlOf(server))]
    await heardFrom(here, there)
    for (let round = 1; round <= 2; round++) {
      await server.stop('SIGKILL')
      await until(() => outages(here) === round && outages(there) === round, 'the loss is noticed')
      await server.start()
      await heardFrom(here, there)
      await heardFrom(there, here)
    }
    expect(events(here)).toEqual(['signals_away', 'signals_back', 'signals_away', 'signals_back'])
  })

  test('a start without a server goes on, and connects when there is one', async () => {
    const server = await started()
    await server.stop('SIGTERM')
    const [here, there] = [openNatsSignals(urlOf(server)), openNatsSignals(urlOf(server))]
    const own: string[] = []
    here.subscribe('a', (text) => own.push(text))
    here.publish('a', '1')
    await until(() => outages(here) === 1 && outages(there) === 1, 'the outage is logged')
    expect(own).toEqual(['1'])
    expect(here.logged[0]!.fields.reason).toBe(`127.0.0.1:${server.port}: connection refused`)
    await server.start()
    await heardFrom(here, there)
    expect(events(here)).toEqual(['signals_away', 'signals_back'])
  })

  test('hints of an outage are lost and counted, and take no room', async () => {
    const server = await started()
    const [here, there] = [openNatsSignals(urlOf(server)), openNatsSignals(urlOf(server))]
    await heardFrom(here, there)
    await server.stop('SIGKILL')
    await until(() => outages(here) === 1, 'the loss is noticed')
    const heard: string[] = []
    there.subscribe('a', (text) => heard.push(text))
    const before = lost(here)
    Bun.gc(true)
    const heapBytes = process.memoryUsage().heapUsed
    const text = 'x'.repeat(6000)
    for (let round = 0; round < 20; round++) {
      for (let at = 0; at < 900; at++) here.publish('a', `${round}.${at} ${text}`)
      await until(() => lost(here) === before + (round + 1) * 900, 'all are counted')
    }
    Bun.gc(true)
    // A hundred megabytes were published.
    expect(process.memoryUsage().heapUsed - heapBytes).toBeLessThan(30_000_000)
    await server.start()
    await heardFrom(here, there)
    expect(heard).toEqual([])
    expect(events(here)).toEqual(['signals_away', 'signals_back'])
  })

  test('of two servers the one that lives is used', async () => {
    const first = await started({ cluster: { routePort: undefined } })
    const second = await started({ cluster: { routePort: first.routePort } })
    const both = `${urlOf(first)},${urlOf(second)}`
    const [here, there] = [openNatsSignals(both), openNatsSignals(urlOf(second))]
    await heardFrom(here, there)
    await first.stop('SIGKILL')
    await heardFrom(here, there)
    await first.start()
    // It hears of the other server through the first one now.
    const far = openNatsSignals(urlOf(first))
    await heardFrom(here, far)
    await second.stop('SIGKILL')
    await heardFrom(here, far)
    await heardFrom(far, here)
  })

  test('a server that hangs is given up for one that answers', async () => {
    const first = await started({ cluster: { routePort: undefined } })
    const second = await started({ cluster: { routePort: first.routePort } })
    const here = openNatsSignals(urlOf(first))
    const moving = openNatsSignals(`${urlOf(first)},${urlOf(second)}`)
    const there = openNatsSignals(urlOf(second))
    await heardFrom(here, there)
    await heardFrom(moving, there)
    await first.freeze()
    await until(() => outages(here) === 1, 'the silence is noticed')
    expect(here.logged[0]!.fields.reason).toMatch(/does not answer|no answer/)
    await heardFrom(moving, there)
    await first.thaw()
    await heardFrom(here, there)
  }, 180_000)

  test('attempts at a server that hangs leave no connections behind', async () => {
    let accepted = 0
    let closed = 0
    using listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: () => void accepted++,
        close: () => void closed++,
        data: () => {},
      },
    })
    const signals = openNatsSignals(`nats://127.0.0.1:${listener.port}`)
    await until(() => accepted > 1 && closed > 0, 'an attempt is over')
    expect(accepted - closed).toBeLessThanOrEqual(1)
    expect(signals.logged[0]!.fields.reason).toEndWith(': timeout')
  })

  test.each([
    ['nothing', ''],
    ['another protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
    ['a broken greeting', 'INFO {"server_id": \r\n'],
    ['a greeting that is no object', 'INFO null\r\n'],
    ['an error', "-ERR 'maximum connections exceeded'\r\n"],
  ])('a server that says %s and goes is an outage, no harm', async (_, greeting) => {
    let accepted = 0
    using listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) => {
          accepted++
          socket.end(greeting)
        },
        data: () => {},
      },
    })
    const signals = openNatsSignals(`nats://127.0.0.1:${listener.port}`)
    await until(() => accepted > 2, 'it is tried again')
    signals.publish('a', '1')
    await until(() => lost(signals) === 1, 'the hint is counted')
    expect(events(signals)).toEqual(['signals_away'])
  })

  test('closing is quick in every state', async () => {
    const server = await started()
    const connected = openNatsSignals(urlOf(server))
    await heardFrom(connected, openNatsSignals(urlOf(server)))
    await server.freeze()
    connected.publish('a', 'never read')
    await Promise.all([
      connected.close(),
      openNatsSignals(urlOf(server)).close(),
      openNatsSignals('nats://127.0.0.1:1').close(),
    ])
    expect(events(connected)).toEqual([])
    await server.thaw()
  })
}

function urlOf(server: NatsTestServer): string {
  return `nats://127.0.0.1:${server.port}`
}

function events({ logged }: NatsSignals): string[] {
  return logged.map(({ event }) => event)
}

function outages(signals: NatsSignals): number {
  return events(signals).filter((event) => event === 'signals_away').length
}

function lost({ counts }: NatsSignals): number {
  return counts.get(LOST) ?? 0
}
