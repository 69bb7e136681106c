import { afterEach, describe, expect, test } from 'bun:test'
import { makeAuthority } from '../../../tests/support/basics/certificates.ts'
import {
  type EgressBench,
  named,
  openEgressBench,
  TIMEOUT_MS,
  testAuthority,
} from '../../../tests/support/nodes/egress-bench.ts'
import {
  answerText,
  type ScriptedServer,
  until,
} from '../../../tests/support/nodes/scripted-server.ts'

const MEBIBYTE = 1024 * 1024
const HOSTS = 300

let bench: EgressBench
const open = () => {
  bench = openEgressBench()
  return bench
}
afterEach(() => bench.clear())

const echo: Parameters<EgressBench['serve']>[0] = {
  onRequest: (peer, { body }) => peer.send(answerText(body.toString('latin1', 0, 100))),
}

describe('behind TLS', () => {
  test('a delivery goes to the holder of the name, over one connection after another', async () => {
    const { serve, post } = open()
    const server = serve(echo, testAuthority().issue(['hook.test']))
    for (let call = 0; call < 5; call++) {
      const outcome = await post(named('hook.test', server), `call ${call}`)
      expect(outcome).toMatchObject({ status: 200, fault: null, bodyStart: `call ${call}` })
    }
    expect(server.peers).toHaveLength(1)
  })

  test('a certificate may go for all names of a domain', async () => {
    const { serve, post } = open()
    const server = serve(echo, testAuthority().issue(['*.hooks.test']))
    expect((await post(named('mine.hooks.test', server))).status).toBe(200)
    expect((await post(named('not.mine.hooks.test', server))).fault).toBe('tls')
  })

  test('a certificate may go for an address', async () => {
    const { serve, post } = open()
    const server = serve(echo, testAuthority().issue(['127.0.0.1']))
    expect((await post(server)).status).toBe(200)
  })

  test.each([
    ['of another name', testAuthority().issue(['other.test']), 'hook.test'],
    ['that names no address', testAuthority().issue(['hook.test']), '127.0.0.1'],
    ['of the past', testAuthority().issue(['hook.test'], { from: -20, to: -10 }), 'hook.test'],
    ['of the future', testAuthority().issue(['hook.test'], { from: 10, to: 20 }), 'hook.test'],
    ['of an unknown authority', makeAuthority('stranger').issue(['hook.test']), 'hook.test'],
    ['signed by itself', selfSigned('hook.test'), 'hook.test'],
  ])('nothing is sent to the holder of a certificate %s', async (_title, certificate, name) => {
    const { serve, post } = open()
    const server = serve(echo, certificate)
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    const outcome = await post(named(name, server), 'for the right one only')
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    expect(outcome).toMatchObject({ status: null, fault: 'tls', address: null })
    expect(server.requests()).toHaveLength(0)
  })

  test.each([
    ['speaks plainly', (server: ScriptedServer) => server.peers[0]?.send(answerText('ok'))],
    ['hangs up', (server: ScriptedServer) => server.peers[0]?.end()],
    ['tears down', (server: ScriptedServer) => server.peers[0]?.reset()],
  ])('a receiver that %s is at fault', async (_title, act) => {
    const { serve, post } = open()
    const server = serve({})
    const posting = post({ url: server.url.replace('http:', 'https:') })
    await until(() => server.peers.length === 1, 'the connection')
    act(server)
    expect(await posting).toMatchObject({ status: null, fault: 'tls' })
  })

  test('a receiver that never shows a certificate costs the time and no more', async () => {
    const { clock, serve, post } = open()
    const server = serve({})
    const posting = post({ url: server.url.replace('http:', 'https:') })
    await until(() => server.peers.length === 1, 'the connection')
    await clock.advance(TIMEOUT_MS)
    expect(await posting).toMatchObject({ status: null, fault: 'timeout' })
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
  })

  test('the time to agree on TLS is told apart from the time to connect', async () => {
    bench = openEgressBench({
      through: (connect) => (target, listener) =>
        connect(target, {
          ...listener,
          accepted() {
            bench.clock.skip(20)
            listener.accepted?.()
            bench.clock.skip(30)
          },
        }),
    })
    const server = bench.serve(echo, testAuthority().issue(['hook.test']))
    const first = await bench.post(named('hook.test', server))
    expect(first.ms).toEqual({ lookup: 0, connect: 20, tls: 30, answer: 0, total: 50 })
    const onKept = await bench.post(named('hook.test', server))
    expect(onKept.ms).toEqual({ lookup: 0, connect: 0, tls: 0, answer: 0, total: 0 })

    const stranger = bench.serve(echo, makeAuthority('stranger').issue(['hook.test']))
    const refused = await bench.post(named('hook.test', stranger))
    expect(refused).toMatchObject({ fault: 'tls', ms: { connect: 20, tls: 30, total: 50 } })
  })

  test('a large delivery arrives whole at a slow receiver', async () => {
    const { serve, post } = open()
    const server = serve(
      {
        onOpen(peer) {
          peer.pause()
          setTimeout(peer.resume, 50)
        },
        onRequest: (peer) => peer.send(answerText('ok')),
      },
      testAuthority().issue(['hook.test']),
    )
    const body = '0123456789\u20ac'.repeat(MEBIBYTE)
    expect((await post(named('hook.test', server), body)).status).toBe(200)
    expect(server.requests()[0]?.body.equals(Buffer.from(body))).toBe(true)
  })

  test('a kept connection that turns out to be dead costs nothing', async () => {
    const { serve, post } = open()
    const server = serve(
      {
        onRequest(peer) {
          if (peer.number === 1 && peer.requests.length === 2) peer.reset()
          else peer.send(answerText('ok'))
        },
      },
      testAuthority().issue(['hook.test']),
    )
    for (let call = 0; call < 3; call++) {
      expect((await post(named('hook.test', server))).status).toBe(200)
    }
    expect(server.peers.map(({ requests }) => requests.length)).toEqual([2, 2])
  })

  test('an idle connection ends when the service does', async () => {
    const { egress, serve, post } = open()
    const server = serve(echo, testAuthority().issue(['hook.test']))
    await post(named('hook.test', server))
    egress.close()
    await until(() => server.peers[0]?.closed === true, 'the connection to close')
  })

  test(`${HOSTS} hosts at once are served, each over its own connection`, async () => {
    const { serve, post } = open()
    const server = serve(echo, testAuthority().issue(['*.many.test']))
    const round = () =>
      Promise.all(
        Array.from({ length: HOSTS }, (_, host) =>
          post(named(`h${host}.many.test`, server), `host ${host}`),
        ),
      )
    for (let rounds = 0; rounds < 3; rounds++) {
      const outcomes = await round()
      expect(outcomes.map(({ bodyStart }) => bodyStart)).toEqual(
        Array.from({ length: HOSTS }, (_, host) => `host ${host}`),
      )
    }
    expect(server.peers).toHaveLength(HOSTS)
  })
})

function selfSigned(name: string) {
  const authority = makeAuthority(name)
  return { cert: authority.cert, key: authority.key }
}
