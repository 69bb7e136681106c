import { describe, expect, test } from 'bun:test'
import { relayedSignalsConformance } from '../../../tests/conformance/relayed-signals-conformance.ts'
import { signalsConformance } from '../../../tests/conformance/signals-conformance.ts'
import { until } from '../../../tests/support/basics/until.ts'
import { heardFrom } from '../../../tests/support/deliveries/heard-from.ts'
import { startTcpRelay } from '../../../tests/support/nodes/tcp-relay.ts'
import { startPostgresPair } from '../../../tests/support/postgres/postgres-pair.ts'
import { startPostgresServer } from '../../../tests/support/postgres/postgres-server.ts'
import { openPostgresSignals } from '../../../tests/support/postgres/postgres-signals.ts'
import { testDatabase } from '../../../tests/support/postgres/test-postgres.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'

describe.skipIf(lacksPostgres())('the signals of PostgreSQL', () => {
  let made: Promise<{ url: string }> | null = null
  const open = async () => {
    made ??= testDatabase()
    return openPostgresSignals((await made).url)
  }
  signalsConformance('postgres', open)
  relayedSignalsConformance('postgres', open)

  test('of one database are not heard in another', async () => {
    const [one, other] = [
      openPostgresSignals((await testDatabase()).url),
      openPostgresSignals((await testDatabase()).url),
    ]
    const [near, far] = [await open(), await open()]
    const heard: string[] = []
    other.subscribe('exam', (text) => heard.push(text))
    one.publish('exam', 'not for you')
    await heardFrom(near, far)
    expect(heard).toEqual([])
    await Promise.all([one, other, near, far].map((signals) => signals.close()))
  })

  test('are heard again after the server was stopped, reset or cut off', async () => {
    const server = await startPostgresServer()
    const relay = await startTcpRelay(server.port)
    const url = `postgres://postgres@127.0.0.1:${relay.port}/postgres`
    const [here, there] = [openPostgresSignals(url), openPostgresSignals(url)]
    await heardFrom(here, there)
    await server.stop('SIGQUIT')
    here.publish('exam', 'lost')
    await server.start()
    await heardFrom(here, there)
    relay.reset()
    await heardFrom(there, here)
    relay.cut()
    here.publish('exam', 'lost')
    relay.mend()
    await heardFrom(here, there)
    await heardFrom(there, here)
    await Promise.all([here.close(), there.close()])
    await relay.close()
    await server.close()
  }, 180_000)

  test('travel over the one of several servers that accepts writes', async () => {
    const pair = await startPostgresPair()
    const { primary, standby, run } = pair
    const hosts = [standby, primary].map(({ port }) => `127.0.0.1:${port}`)
    const url = `postgres://postgres@${hosts.join()}/postgres`
    const [here, there] = [openPostgresSignals(url), openPostgresSignals(url)]
    await heardFrom(here, there)
    await pair.untilReplicated()
    await pair.promote()
    // The old primary stays up: nothing but a look shows that it is not the one any more.
    await run(primary, 'ALTER SYSTEM SET default_transaction_read_only = on')
    await run(primary, 'SELECT pg_reload_conf()')
    const listeners = `SELECT pid FROM pg_stat_activity WHERE application_name = 'headgate signals'`
    await until(async () => (await run(primary, listeners)).length === 0, 'both have moved')
    await heardFrom(there, here)
    await heardFrom(here, there)
    await Promise.all([here.close(), there.close()])
    await pair.close()
  }, 180_000)
})
