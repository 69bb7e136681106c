import { afterEach, describe, expect, test } from 'bun:test'
import { testClock } from '../../../tests/support/basics/test-clock.ts'
import {
  type EgressBench,
  named,
  openEgressBench,
  TIMEOUT_MS,
} from '../../../tests/support/nodes/egress-bench.ts'
import { answerText, atRest, until } from '../../../tests/support/nodes/scripted-server.ts'
import { NO_USABLE_ADDRESS } from '../../core/delivery/check-destination.ts'
import type { Connect } from '../http1/connector.ts'
import { openOwnAddresses } from './own-addresses.ts'

const PUBLIC = '93.184.215.14'
const OTHER_PUBLIC = '1.1.1.1'
const PUBLIC_V6 = '2606:4700:4700::1111'
const NAME_KEPT_MS = 30_000
const LOOKUP_MS_MAX = 3000

let bench: EgressBench
const open = (resolve: (name: string) => Promise<readonly string[]>, allowPrivate = false) => {
  bench = openEgressBench({ allowPrivate, resolve })
  return bench
}
const openWith = (...addresses: string[]) => open(async () => addresses)
afterEach(() => bench.clear())

describe('a name that leads to a forbidden address', () => {
  test.each([
    ['loopback', ['127.0.0.1']],
    ['a private network', ['10.0.0.5']],
    ['the metadata of a cloud', ['169.254.169.254']],
    ['loopback of IPv6', ['::1']],
    ['loopback in another form', ['::ffff:127.0.0.1']],
    ['a private network behind NAT64', ['64:ff9b::10.0.0.5']],
    ['nothing that is an address', ['0x7f.1']],
    ['a zone', ['fe80::1%eth0']],
    ['a forbidden one after a good one', [PUBLIC, '192.168.1.1']],
    ['a forbidden one before a good one', ['192.168.1.1', PUBLIC]],
    ['a forbidden one of the other family', [PUBLIC, '::1']],
  ])('is refused, and nothing is connected to: %s', async (_title, addresses) => {
    const { serveBytes, post, dialled, egress } = openWith(...addresses)
    const server = named('hook.test', serveBytes(answerText('ok')))
    const ms = { lookup: 0, connect: 0, tls: 0, answer: 0, total: 0 }
    expect(await post(server)).toEqual({
      status: null,
      fault: 'refused_address',
      retryAfter: null,
      bodyStart: '',
      address: null,
      ms,
    })
    expect(await egress.vet(server.url, 'team_a')).toBe(NO_USABLE_ADDRESS)
    expect(dialled).toEqual([])
  })

  test('is refused when it flips after it was looked at', async () => {
    const answers = [[PUBLIC], ['127.0.0.1'], [PUBLIC], ['169.254.169.254']]
    const { clock, serveBytes, post, dialled, egress } = open(async () => answers.shift() ?? [])
    const server = named('rebind.test', serveBytes(answerText('ok')))
    expect(await egress.vet(server.url, 'team_a')).toBeNull()
    // Within the time that an answer is kept, it is the vetted address that is connected to.
    expect(await post(server)).toMatchObject({ status: 200, address: PUBLIC })
    await clock.advance(NAME_KEPT_MS)
    expect((await post(server)).fault).toBe('refused_address')
    await clock.advance(NAME_KEPT_MS)
    expect(await post(server)).toMatchObject({ status: 200, address: PUBLIC })
    await clock.advance(NAME_KEPT_MS)
    expect((await post(server)).fault).toBe('refused_address')
    expect(new Set(dialled.map(({ address }) => address))).toEqual(new Set([PUBLIC]))
  })

  test('is refused though a connection from better days is still open', async () => {
    let addresses = [PUBLIC]
    const { clock, serveBytes, post, dialled } = open(async () => addresses)
    const receiver = serveBytes(answerText('ok', 'keep-alive: timeout=600\r\n'))
    const server = named('hook.test', receiver)
    await post(server)
    addresses = [PUBLIC, '127.0.0.1']
    await clock.advance(NAME_KEPT_MS)
    expect((await post(server)).fault).toBe('refused_address')
    expect(receiver.requests()).toHaveLength(1)
    expect(dialled).toHaveLength(1)
  })

  test('is allowed where the operator says so', async () => {
    const { serveBytes, post, egress } = open(async () => ['127.0.0.1'], true)
    const server = named('hook.test', serveBytes(answerText('ok')))
    expect(await egress.vet(server.url, 'team_a')).toBeNull()
    expect(await post(server)).toMatchObject({ status: 200, address: '127.0.0.1' })
  })
})

describe('a URL that is refused unresolved', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:10.0.0.1]/',
    'https://localhost/',
    'https://user:secret@hook.test/',
    'ftp://hook.test/',
    'not a URL',
    '',
  ])('%s', async (url) => {
    const asked: string[] = []
    const { egress, dialled } = open(async (name) => {
      asked.push(name)
      return [PUBLIC]
    })
    const outcome = await egress.post({
      url,
      teamId: 'team_a',
      body: '',
      headers: {},
      timeoutMs: TIMEOUT_MS,
    })
    expect(outcome).toMatchObject({ status: null, fault: 'refused_address', address: null })
    const reason = await egress.vet(url, 'team_a')
    expect(reason).toBeString()
    expect(reason).not.toContain('secret')
    expect([...asked, ...dialled]).toEqual([])
  })
})

describe('an address of this machine', () => {
  const own = ['127.0.0.1', PUBLIC, PUBLIC_V6, 'fe80::1%eth0']
  const openOwn = (addresses: string[], allowPrivate = false) => {
    const readOwn = () => own
    bench = openEgressBench({ allowPrivate, resolve: async () => addresses, readOwn })
    return bench
  }

  test.each([
    ['in the URL', `http://${PUBLIC}:6379/`, []],
    ['in the URL in another form', 'https://[2606:4700:4700:0:0:0:0:1111]/', []],
    ['behind a name', 'http://hook.test:22/', [PUBLIC]],
    ['behind a name, of IPv6', 'https://hook.test/', [PUBLIC_V6]],
    ['beside a good one', 'https://hook.test/', [OTHER_PUBLIC, PUBLIC]],
  ])('is refused %s', async (_title, url, addresses) => {
    const { post, dialled, egress } = openOwn(addresses)
    expect(await post({ url })).toMatchObject({ status: null, fault: 'refused_address' })
    expect(await egress.vet(url, 'team_a')).toBe(NO_USABLE_ADDRESS)
    expect(dialled).toEqual([])
  })

  test('is refused from when it has it on, and no longer than it has it', async () => {
    const { clock, egress } = openOwn([OTHER_PUBLIC])
    const vet = () => egress.vet(`http://${OTHER_PUBLIC}/`, 'team_a')
    expect(await vet()).toBeNull()
    own.push(OTHER_PUBLIC)
    await clock.advance(NAME_KEPT_MS)
    expect(await vet()).toBe(NO_USABLE_ADDRESS)
    own.pop()
    await clock.advance(NAME_KEPT_MS)
    expect(await vet()).toBeNull()
  })

  test('is allowed where the operator says so', async () => {
    const { serveBytes, post, egress } = openOwn([PUBLIC], true)
    const server = named('hook.test', serveBytes(answerText('ok')))
    expect(await egress.vet(server.url, 'team_a')).toBeNull()
    expect(await post(server)).toMatchObject({ status: 200 })
  })

  test('is found among the interfaces of the machine', async () => {
    const own = openOwnAddresses(testClock())
    expect(own.has('127.0.0.1')).toBe(true)
    expect(own.has(PUBLIC)).toBe(false)
  })
})

describe('a good destination', () => {
  test('is connected to at its vetted address, and by its name only in TLS', async () => {
    const { post, dialled } = openWith(PUBLIC)
    await post({ url: 'https://hook.test:1/' })
    await post({ url: 'http://hook.test:1/' })
    await post({ url: `https://${PUBLIC}:1/` })
    await post({ url: `https://[${PUBLIC_V6}]:1/` })
    expect(dialled).toEqual([
      { address: PUBLIC, port: 1, tls: true, serverName: 'hook.test' },
      { address: PUBLIC, port: 1, tls: false, serverName: null },
      { address: PUBLIC, port: 1, tls: true, serverName: null },
      { address: PUBLIC_V6, port: 1, tls: true, serverName: null },
    ])
  })

  test('may have an address of IPv6 alone', async () => {
    const { serveBytes, post } = openWith(PUBLIC_V6)
    const server = named('hook.test', serveBytes(answerText('ok')))
    expect(await post(server)).toMatchObject({ status: 200, address: PUBLIC_V6 })
  })

  test('must answer from the address it was connected at', async () => {
    let closed = 0
    const elsewhere: Connect = (_target, listener) => {
      const connection = {
        remoteAddress: '10.0.0.1',
        isSending: false,
        owner: null,
        memo: { text: '', head: null },
        send: () => expect.unreachable('nothing is sent'),
        pause() {},
        resume() {},
        end() {},
        terminate: () => closed++,
      }
      queueMicrotask(() => listener.opened(connection))
      return () => {}
    }
    const resolve = async () => [PUBLIC]
    bench = openEgressBench({ allowPrivate: false, resolve, through: () => elsewhere })
    const outcome = await bench.post({ url: 'https://hook.test/' })
    expect(outcome).toMatchObject({ status: null, fault: 'refused_address' })
    expect(closed).toBe(1)
  })
})

describe('a name without an answer', () => {
  test.each<[string, () => Promise<readonly string[]>]>([
    ['that does not exist', () => Promise.reject(new Error('ENOTFOUND'))],
    ['that has no address', async () => []],
    ['whose lookup breaks', () => expect.unreachable('at once')],
    ['with more addresses than anybody has', async () => Array.from({ length: 65 }, () => PUBLIC)],
  ])('is a fault of names: one %s', async (_title, resolve) => {
    const { egress, post, dialled } = open(resolve)
    expect(await post({ url: 'https://hook.test/' })).toMatchObject({ status: null, fault: 'dns' })
    expect(await egress.vet('https://hook.test/', 'team_a')).toBe(NO_USABLE_ADDRESS)
    expect(dialled).toEqual([])
  })

  test('takes a part of the time of a delivery, and no more', async () => {
    const { clock, post } = open(() => new Promise(() => {}))
    const long = post({ url: 'https://hook.test/' })
    const short = post({ url: 'https://hook.test/' }, '', { timeoutMs: 500 })
    await clock.advance(500)
    expect(await short).toMatchObject({ fault: 'timeout', ms: { lookup: 500, total: 500 } })
    await clock.advance(LOOKUP_MS_MAX - 500)
    expect(await long).toMatchObject({ fault: 'dns', ms: { lookup: LOOKUP_MS_MAX } })
  })
})

describe('one of several addresses', () => {
  test('is enough, and is the first to be tried from then on', async () => {
    const { serveBytes, post, dialled } = withDead([PUBLIC, OTHER_PUBLIC], [PUBLIC], 'refuses')
    const receiver = serveBytes(answerText('ok', 'connection: close\r\n'))
    const server = named('hook.test', receiver)
    expect(await post(server)).toMatchObject({ status: 200, address: OTHER_PUBLIC })
    expect(await post(server)).toMatchObject({ status: 200, address: OTHER_PUBLIC })
    expect(dialled).toEqual([PUBLIC, OTHER_PUBLIC, OTHER_PUBLIC])
  })

  test('that hangs leaves time for the others', async () => {
    const { clock, serveBytes, post, dialled } = withDead([PUBLIC, OTHER_PUBLIC], [PUBLIC], 'hangs')
    const server = named('hook.test', serveBytes(answerText('ok')))
    const posting = post(server)
    await until(() => dialled.length === 1, 'the first to be tried')
    await clock.advance(TIMEOUT_MS / 2)
    expect(await posting).toMatchObject({ status: 200, address: OTHER_PUBLIC })
  })

  test('is tried, but not one after the other for ever', async () => {
    const all = ['1.0.0.1', '1.0.0.2', '1.0.0.3', '1.0.0.4', '1.0.0.5']
    const { post, dialled } = withDead(all, all, 'refuses')
    expect(await post({ url: 'http://hook.test/' })).toMatchObject({
      fault: 'connect',
      address: null,
    })
    expect(dialled).toEqual(all.slice(0, 3))
  })

  test('that is the last and hangs takes what time is left', async () => {
    const { clock, post, dialled } = withDead([PUBLIC], [PUBLIC], 'hangs')
    const posting = post({ url: 'http://hook.test/' })
    await until(() => dialled.length === 1, 'it to be tried')
    await clock.advance(TIMEOUT_MS)
    expect(await posting).toMatchObject({ fault: 'timeout', ms: { connect: TIMEOUT_MS } })
    expect(await atRest(() => dialled.length)).toBe(1)
  })
})

/** A way out on which some addresses take no connection. */
function withDead(addresses: string[], dead: string[], how: 'hangs' | 'refuses') {
  const dialled: string[] = []
  const resolve = async () => addresses
  const through =
    (connect: Connect): Connect =>
    (target, listener) => {
      dialled.push(target.address)
      if (!dead.includes(target.address)) return connect(target, listener)
      if (how === 'refuses') queueMicrotask(() => listener.failed('connect'))
      return () => {}
    }
  bench = openEgressBench({ allowPrivate: false, resolve, through })
  return { ...bench, dialled }
}
