import { expect, test } from 'bun:test'
import { startScriptedServer, until } from '../../../tests/support/scripted-server.ts'
import { openConnector, type Target } from './wire.ts'

const HANGING_MAX = 8
const TARGET: Target = { address: '127.0.0.1', port: 1, tls: false, serverName: null }

/** The kernel goes on asking, for minutes, until the test answers for it. */
function hangingKernel() {
  const refusals: (() => void)[] = []
  const dial = () =>
    new Promise<never>((_resolve, reject) => refusals.push(() => reject(new Error('ETIMEDOUT'))))
  const connect = openConnector({ dial: dial as unknown as typeof Bun.connect })
  const faults: string[] = []
  const hearer = {
    opened: () => expect.unreachable('it hangs'),
    failed: (fault: string) => faults.push(fault),
  }
  return { refusals, faults, ask: (target = TARGET) => connect(target, hearer) }
}

test('an address that lets connections hang is not asked for ever more of them', async () => {
  const { refusals, faults, ask } = hangingKernel()
  for (let dial = 0; dial < HANGING_MAX; dial++) ask()()
  await until(() => refusals.length === HANGING_MAX, 'all to be asked')
  ask()
  expect(faults).toEqual(['connect'])
  expect(refusals).toHaveLength(HANGING_MAX)

  // Another place is not affected, and neither is this one when the kernel is done.
  ask({ ...TARGET, port: 2 })
  await until(() => refusals.length === HANGING_MAX + 1, 'the other to be asked')
  refusals[0]?.()
  await Bun.sleep(0)
  ask()
  await until(() => refusals.length === HANGING_MAX + 2, 'the first to be asked again')
  expect(faults).toEqual(['connect'])
})

test('those that wait for their connection do not count as hanging', async () => {
  const { refusals, faults, ask } = hangingKernel()
  for (let dial = 0; dial < HANGING_MAX * 2; dial++) ask()
  await until(() => refusals.length === HANGING_MAX * 2, 'all to be asked')
  for (const refuse of refusals) refuse()
  await until(() => faults.length === HANGING_MAX * 2, 'all to fail')
  expect(new Set(faults)).toEqual(new Set(['connect']))
})

test('a connection that was given up while it was made is closed when it is there', async () => {
  const server = startScriptedServer({})
  const connect = openConnector()
  const port = Number(new URL(server.url).port)
  for (let dial = 0; dial < HANGING_MAX * 2; dial++) {
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
