import { expect, test } from 'bun:test'
import { startScriptedServer, until } from '../../../tests/support/nodes/scripted-server.ts'
import { type Connection, hostOf, openConnector, portOf, type Target } from './connector.ts'

const ABANDONED_MAX = 8
/** Owners in these tests throw when they receive this, and again when their connection ends. */
const BUGGY = 'buggy'

const TARGET: Target = { address: '127.0.0.1', port: 1, tls: false, serverName: null }

/** The kernel goes on asking, for minutes, until the test answers for it. */
function hangingKernel() {
  const refusals: (() => void)[] = []
  const dial = () =>
    new Promise<never>((_resolve, reject) => refusals.push(() => reject(new Error('ETIMEDOUT'))))
  const connect = openConnector({
    dial: dial as unknown as typeof Bun.connect,
    abandonedMax: ABANDONED_MAX,
  })
  const faults: string[] = []
  const listener = {
    opened: () => expect.unreachable('it hangs'),
    failed: (fault: string) => faults.push(fault),
  }
  return { refusals, faults, ask: (target = TARGET) => connect(target, listener) }
}

test('an address that lets connections hang is not asked for ever more of them', async () => {
  const { refusals, faults, ask } = hangingKernel()
  for (let dial = 0; dial < ABANDONED_MAX; dial++) ask()()
  await until(() => refusals.length === ABANDONED_MAX, 'all to be asked')
  ask()
  expect(faults).toEqual([])
  await until(() => faults.length === 1, 'the next to fail')
  expect(refusals).toHaveLength(ABANDONED_MAX)

  // Another place is not affected, and neither is this one when the kernel is done.
  ask({ ...TARGET, port: 2 })
  await until(() => refusals.length === ABANDONED_MAX + 1, 'the other to be asked')
  refusals[0]?.()
  await Bun.sleep(0)
  ask()
  await until(() => refusals.length === ABANDONED_MAX + 2, 'the first to be asked again')
  expect(faults).toEqual(['connect'])
})

test('one that is refused and given up at once is not told', async () => {
  const { refusals, faults, ask } = hangingKernel()
  for (let dial = 0; dial < ABANDONED_MAX; dial++) ask()()
  await until(() => refusals.length === ABANDONED_MAX, 'all to be asked')
  ask()()
  await Bun.sleep(0)
  expect(faults).toEqual([])
})

test('those that wait for their connection do not count as hanging', async () => {
  const { refusals, faults, ask } = hangingKernel()
  for (let dial = 0; dial < ABANDONED_MAX * 2; dial++) ask()
  await until(() => refusals.length === ABANDONED_MAX * 2, 'all to be asked')
  for (const refuse of refusals) refuse()
  await until(() => faults.length === ABANDONED_MAX * 2, 'all to fail')
  expect(new Set(faults)).toEqual(new Set(['connect']))
})

test('a connection that was given up while it was made is closed when it is there', async () => {
  const server = startScriptedServer({})
  const connect = openConnector({ abandonedMax: ABANDONED_MAX })
  const port = Number(new URL(server.url).port)
  for (let dial = 0; dial < ABANDONED_MAX * 2; dial++) {
    connect(
      { ...TARGET, port },
      {
        opened: () => expect.unreachable('it was given up'),
        failed: () => expect.unreachable('it was given up'),
      },
    )()
    const made = dial + 1
    await until(() => server.peers.length === made, 'the connection')
    await until(() => server.peers.every(({ closed }) => closed), 'it to close')
  }
  server.stop()
})

type Dialed = {
  data: unknown
  socket: {
    open(socket: object): void
    data(socket: object, bytes: Buffer): void
    close(socket: object): void
  }
}

/** A connector whose dials are accepted on command, and the bugs that it reports. */
function acceptedConnector() {
  const dials: Dialed[] = []
  const bugs: unknown[] = []
  const dial = (one: Dialed) => {
    dials.push(one)
    return new Promise<never>(() => {})
  }
  const connect = openConnector({
    dial: dial as unknown as typeof Bun.connect,
    abandonedMax: ABANDONED_MAX,
    reportBug: (bug) => bugs.push(bug),
  })
  return { connect, dials, bugs }
}

/** A connection whose other side speaks on command, and what is heard of it. */
function spokenConnection({ connect, dials } = acceptedConnector()) {
  const opened: Connection[] = []
  const heard: string[] = []
  connect(TARGET, {
    opened: (connection) => opened.push(connection),
    failed: () => expect.unreachable('it is accepted'),
  })
  const dialed = dials.at(-1)
  if (!dialed) throw new Error('it was not dialed')
  const terminate = () => heard.push('terminated')
  const socket = { data: dialed.data, setNoDelay: () => true, terminate }
  dialed.socket.open(socket)
  const [connection] = opened
  if (!connection) throw new Error('it was not opened')

  const ownedBy = (name: string): void => {
    let hasThrown = false
    connection.owner = {
      received(_connection, bytes) {
        hasThrown = String(bytes) === BUGGY
        if (hasThrown) throw new Error('a bug')
        heard.push(`${name} hears ${bytes}`)
      },
      closed(_connection, isBroken) {
        heard.push(`${name}: ${isBroken ? 'broken' : 'closed'}`)
        if (hasThrown) throw new Error('another bug')
      },
    }
  }
  return {
    heard,
    ownedBy,
    say: (text: string) => dialed.socket.data(socket, Buffer.from(text)),
    close: () => dialed.socket.close(socket),
  }
}

test('bytes that arrived before the close are heard before it', () => {
  const one = spokenConnection()
  one.ownedBy('a')
  one.say('hel')
  one.say('lo')
  expect(one.heard).toEqual([])
  one.close()
  expect(one.heard).toEqual(['a hears hel', 'a hears lo', 'a: closed'])
})

test('bytes for an earlier owner are not an answer to the next one', async () => {
  const [taken, kept] = [spokenConnection(), spokenConnection()]
  for (const one of [taken, kept]) {
    one.ownedBy('idle')
    one.say('answer')
  }
  taken.ownedBy('a')
  await until(() => kept.heard.length > 0, 'the turn to end')
  expect(kept.heard).toEqual(['idle hears answer'])
  expect(taken.heard).toEqual(['terminated', 'a: broken'])
})

test('an exception in one owner ends its connection and no other', async () => {
  const connector = acceptedConnector()
  const spoken = ['a', 'b', 'c'].map((name) => {
    const one = spokenConnection(connector)
    one.ownedBy(name)
    return one
  })
  const [a, b, c] = spoken
  a?.say('hello')
  b?.say(BUGGY)
  c?.say('hello')
  await until(() => c?.heard.length === 1, 'the turn to end')
  expect(spoken.map(({ heard }) => heard)).toEqual([
    ['a hears hello'],
    ['terminated', 'b: broken'],
    ['c hears hello'],
  ])
  expect(connector.bugs).toEqual([new Error('a bug'), new Error('another bug')])
})

test.each([
  ['http://node.example/', 'node.example', 80],
  ['https://node.example/', 'node.example', 443],
  ['http://node.example:8545', 'node.example', 8545],
  ['http://127.0.0.1:1', '127.0.0.1', 1],
  ['http://[::1]:8545/', '::1', 8545],
])('%s leads to host %s, port %d', (url, host, port) => {
  expect([hostOf(new URL(url)), portOf(new URL(url))]).toEqual([host, port])
})
