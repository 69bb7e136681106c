import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeAuthority } from '../../../tests/support/basics/certificates.ts'
import { until } from '../../../tests/support/basics/until.ts'
import { heardFrom } from '../../../tests/support/deliveries/heard-from.ts'
import { makeNatsCredentials } from '../../../tests/support/nats/nats-credentials.ts'
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
import { type NatsServer, parseNatsServers } from '../../core/servers/parse-nats-servers.ts'
import { openNatsLink } from './nats-link.ts'

if (isNatsMissing) sayNatsIsMissing()
else tests()

function tests(): void {
  let folder = ''
  let server: NatsTestServer | null = null
  const start = async (...options: Parameters<typeof startNatsServer>) => {
    server = await startNatsServer(...options)
    return `127.0.0.1:${server.port}`
  }
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'headgate-nats-files-'))
  })
  closeNatsSignals()
  afterEach(async () => {
    await server?.close()
    server = null
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  describe('credentials', () => {
    const users = ['authorization { users: [{ user: me, password: "pa,ss@w%rd" }] }']

    test('a user and a password, of any characters', async () => {
      const at = await start({ config: users })
      const url = `nats://me:${encodeURIComponent('pa,ss@w%rd')}@${at}`
      await heardFrom(openNatsSignals(url), openNatsSignals(url))
    })

    test('a token', async () => {
      const url = `nats://t0ken@${await start({ config: ['authorization { token: t0ken }'] })}`
      await heardFrom(openNatsSignals(url), openNatsSignals(url))
    })

    test.each([
      ['a wrong password', 'me:hunter2@'],
      ['an unknown user', 'hunter2:hunter2@'],
      ['a token instead', 'hunter2@'],
      ['none at all', ''],
    ])('with %s the log says so, once and without it', async (_, login) => {
      const at = await start({ config: users })
      const signals = openNatsSignals(`nats://${login}${at}`)
      expect(await outageOf(signals)).toBe(`${at}: Authorization Violation`)
      signals.publish('a', '1')
      await until(() => signals.counts.size > 0, 'the hint is counted')
      expect(signals.logged).toHaveLength(1)
      expect(JSON.stringify(signals.logged)).not.toContain('hunter2')
    })

    test.each([
      ['a password', 'me:hunter2@'],
      ['a token', 'hunter2@'],
      ['a password that JSON escapes', 'me:%22hunter2%5C@'],
    ])('a server that repeats %s does not bring it into the log', async (_, login) => {
      using listener = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          open: (socket) => void socket.write('INFO {"version":"2.9.10","proto":1}\r\n'),
          data: (socket, bytes) => {
            const line = String(bytes).split('\r\n', 1)[0]
            socket.end(`-ERR 'Unknown Protocol Operation: ${line}'\r\n`)
          },
        },
      })
      const signals = openNatsSignals(`nats://${login}127.0.0.1:${listener.port}`)
      expect(await outageOf(signals)).toEndWith(': the server repeats our credentials')
      expect(JSON.stringify(signals.logged)).not.toContain('hunter2')
    })

    test('each server of the list has its own', async () => {
      const at = await start({ config: users })
      const url = `nats://other:hunter2@${at},nats://me:pa%2Css%40w%25rd@${at}`
      await heardFrom(openNatsSignals(url), openNatsSignals(url))
    })

    test('a file of credentials, which is read again for each connection', async () => {
      const { config, credentials } = makeNatsCredentials()
      const at = await start({ config })
      const wrong = makeNatsCredentials()
      const file = fileOf('user.creds', wrong.credentials)
      const open = () => openNatsSignals(`nats://${at}`, { credentialsFile: file })
      const [here, there] = [open(), open()]
      expect(await outageOf(here)).toBe(`${at}: Authorization Violation`)
      expect(JSON.stringify(here.logged)).not.toContain(wrong.seed)
      writeFileSync(file, credentials)
      await heardFrom(here, there)
    })

    test('a file of credentials that is missing', async () => {
      const at = await start({ config: makeNatsCredentials().config })
      const file = join(folder, 'absent.creds')
      const signals = openNatsSignals(`nats://${at}`, { credentialsFile: file })
      expect(await outageOf(signals)).toBe(`${at}: natsCredentials cannot be read (ENOENT)`)
    })

    test.each([
      ['empty', () => ''],
      ['garbage', () => 'hunter2'],
      ['many lines of it', () => '-----BEGIN\n'.repeat(50_000)],
      [
        'without a seed',
        () => makeNatsCredentials().credentials.replace(/-+BEGIN USER[\s\S]*/, ''),
      ],
      [
        'with a broken seed',
        () => makeNatsCredentials().credentials.replace(/\nS\w{9}/, '\nSUhunter2'),
      ],
    ])('a file of credentials that is %s', async (_, make) => {
      const at = await start({ config: makeNatsCredentials().config })
      const file = fileOf('bad.creds', make())
      const signals = openNatsSignals(`nats://${at}`, { credentialsFile: file })
      expect(await outageOf(signals)).toBe(`${at}: natsCredentials is no file of credentials`)
    })

    test.each(['publish', 'subscribe'])('a user that may not %s is told', async (act) => {
      const users = `{ user: me, password: it, permissions: { ${act}: { deny: "headgate.>" } } }`
      const at = await start({ config: [`authorization { users: [${users}] }`] })
      const signals = openNatsSignals(`nats://me:it@${at}`)
      expect(await outageOf(signals)).toMatch(/Permissions Violation for (Publish|Subscription)/)
      expect(signals.logged).toHaveLength(1)
    })

    test('a server for short messages only is none for us', async () => {
      const at = await start({ config: ['max_payload: 1024'] })
      expect(await outageOf(openNatsSignals(`nats://${at}`))).toBe(`${at}: max_payload is 1024`)
    })
  })

  test('a text that is under way when the connection ends is known to be lost', async () => {
    using listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: {
        open: (socket) =>
          void socket.write('INFO {"version":"2.9.10","proto":1,"max_payload":1048576}\r\n'),
        data: (socket, bytes) => {
          const said = String(bytes)
          if (said.includes('a hint')) socket.end()
          else for (const _ of said.matchAll(/PING\r\n/g)) socket.write('PONG\r\n')
        },
      },
    })
    const [address] = parseNatsServers(`nats://127.0.0.1:${listener.port}`) as NatsServer[]
    const files = { credentialsFile: undefined, caFile: undefined }
    const link = await openNatsLink(address!, { subject: 'a', ...files }, () => {})
    // Waited for outside of `expect`, which would wait for ever.
    const thrown = await link.send('a hint').catch((thrown) => thrown)
    expect(thrown).toMatchObject({ code: 'signals_unavailable' })
    expect(await link.ended).toBe('the server closed the connection')
    await expect(link.send('another')).rejects.toMatchObject({ code: 'signals_unavailable' })
  })

  describe('TLS', () => {
    const authority = makeAuthority()
    const tls = authority.issue(['127.0.0.1'])
    const ca = () => ({ caFile: fileOf('ca.pem', authority.cert) })

    test.each(['tls', 'nats'])('with an authority of our own, by %s://', async (scheme) => {
      const url = `${scheme}://me:it@${await start({ tls, config: ['authorization { user: me, password: it }'] })}`
      await heardFrom(openNatsSignals(url, ca()), openNatsSignals(url, ca()))
    })

    test('a certificate of an unknown authority is refused', async () => {
      const at = await start({ tls })
      for (const scheme of ['tls', 'nats']) {
        const reason = await outageOf(openNatsSignals(`${scheme}://${at}`))
        expect(reason).toContain('unable to verify')
      }
    })

    test('a certificate for another name is refused', async () => {
      const at = await start({ tls: authority.issue(['other.example']) })
      const reason = await outageOf(openNatsSignals(`tls://${at}`, ca()))
      expect(reason).toContain("does not match certificate's altnames")
    })

    test('a certificate that is out of date is refused', async () => {
      const at = await start({ tls: authority.issue(['127.0.0.1'], { from: -3, to: -1 }) })
      const reason = await outageOf(openNatsSignals(`tls://${at}`, ca()))
      expect(reason).toContain('certificate has expired')
    })

    test.each([
      ['tls:// demands it', 'tls', () => ({})],
      ['an authority demands it', 'nats', ca],
    ])('nothing is said to a server without TLS when %s', async (_, scheme, options) => {
      let said = ''
      using listener = Bun.listen({
        hostname: '127.0.0.1',
        port: 0,
        socket: {
          open: (socket) => void socket.write('INFO {"version":"2.9.10","proto":1}\r\n'),
          data: (_, bytes) => {
            said += bytes
          },
        },
      })
      const url = `${scheme}://me:hunter2@127.0.0.1:${listener.port}`
      const reason = await outageOf(openNatsSignals(url, options()))
      expect(reason).toEndWith("server does not support 'tls'")
      expect(said).toBe('')
    })

    test('a file of authorities that is missing', async () => {
      const at = await start({ tls })
      const signals = openNatsSignals(`tls://${at}`, { caFile: join(folder, 'absent.pem') })
      expect(await outageOf(signals)).toBe(`${at}: natsCa cannot be read (ENOENT)`)
    })

    test.each(['', 'garbage'])(
      'a file of authorities that holds %j trusts nobody',
      async (text) => {
        const at = await start({ tls })
        const signals = openNatsSignals(`tls://${at}`, { caFile: fileOf('bad.pem', text) })
        expect(await outageOf(signals)).toStartWith(`${at}: `)
        expect(signals.logged).toHaveLength(1)
      },
    )
  })
}

/** The reason of the first outage. */
async function outageOf(signals: NatsSignals): Promise<unknown> {
  await until(() => signals.logged.length > 0, 'the outage is logged')
  expect(signals.logged[0]!.event).toBe('signals_away')
  return signals.logged[0]!.fields.reason
}
