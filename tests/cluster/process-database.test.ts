import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../support/basics/until.ts'
import { type PostgresServer, startPostgresServer } from '../support/postgres/postgres-server.ts'
import {
  callProcess,
  configuredProcess,
  stopProcess,
} from '../support/product/configured-process.ts'
import { lacksPostgres } from '../support/product/world.ts'

const SECRET = 'ab'.repeat(32)
const PASSWORD = 'hunter2'

describe.skipIf(lacksPostgres())('a process on PostgreSQL', () => {
  const stage = configuredProcess()
  let server: PostgresServer
  let rulesFile: string

  beforeAll(async () => {
    // Everybody is let in, but for one user who must prove who he is.
    rulesFile = join(tmpdir(), `headgate-hba-${process.pid}`)
    const local = 'host all all 127.0.0.1/32'
    const rules = `host all guest 127.0.0.1/32 scram-sha-256\n${local} trust\n`
    writeFileSync(rulesFile, rules)
    // The server runs as another user.
    chmodSync(rulesFile, 0o644)
    server = await startPostgresServer([`hba_file=${rulesFile}`])
    await administer(`CREATE ROLE guest LOGIN PASSWORD 'another'`)
  })
  afterAll(async () => {
    await server.close()
    rmSync(rulesFile)
  })

  async function administer(statement: string): Promise<void> {
    const client = new Bun.SQL(`${server.url}/postgres`, { max: 1 })
    await client.unsafe(statement)
    await client.close()
  }

  const at = (database: string, secret = SECRET) => ({
    HEADGATE_DATABASE: database,
    HEADGATE_SECRET: secret,
  })

  /** As a user with a password, which nobody may see. */
  const addressOf = (user: string, rest: string) =>
    `postgres://${user}:${PASSWORD}@127.0.0.1:${server.port}/${rest}`

  test('without a secret it is told what is missing, by a check and by a start', async () => {
    const env = { HEADGATE_DATABASE: addressOf('postgres', 'headgate'), HEADGATE_SECRET: '' }
    for (const args of [['check'], []]) {
      expect(await stage.run({ args, env })).toEqual({
        exitCode: 2,
        stdout: '',
        stderr:
          'headgate.yaml:1: secret is required with database, and must be the same in every ' +
          'process\n',
      })
    }
  })

  test('a check does not ask the database', async () => {
    const env = at(addressOf('postgres', 'nobody-made-it'))
    const ended = await stage.run({ args: ['check'], env })
    expect(ended).toEqual({ exitCode: 0, stdout: 'The configuration is good.\n', stderr: '' })
  })

  test.each([
    ['a database that is not there', 'postgres', 'nobody-made-it', '3D000'],
    ['a wrong password', 'guest', 'postgres', '28P01'],
    [
      'a server without TLS where TLS is demanded',
      'postgres',
      'postgres?sslmode=verify-full',
      'ERR_POSTGRES_TLS_NOT_AVAILABLE',
    ],
    [
      'authorities that cannot be read',
      'postgres',
      'postgres?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      'ERR_INVALID_ARG_TYPE',
    ],
  ])('%s ends the start with 1, a plain sentence and no password', async (_, user, rest, code) => {
    const { exitCode, stdout, stderr } = await stage.run({ env: at(addressOf(user, rest)) })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: `The PostgreSQL server at 127.0.0.1:${server.port} cannot be used (${code}).\n`,
    })
    expect(stdout).not.toContain(PASSWORD)
  })

  test('another secret than the one that a database was first used with is refused', async () => {
    await administer('CREATE DATABASE used')
    const database = addressOf('postgres', 'used')
    await stopProcess(await stage.start(at(database)))

    const { exitCode, stderr } = await stage.run({ env: at(database, 'cd'.repeat(32)) })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'Headgate cannot start: secret is not the one that this database was first used with; ' +
        'it must be the same in every process.\n',
    })

    const again = await stage.start(at(database))
    expect((await callProcess(again, 'eth_gasPrice')).status).toBe(200)
  })

  test('tables of somebody else in the database are left as they are', async () => {
    await administer('CREATE DATABASE shared')
    const client = new Bun.SQL(`${server.url}/shared`, { max: 1 })
    await client.unsafe(`CREATE TABLE diary (text TEXT); INSERT INTO diary VALUES ('dear diary')`)
    await stopProcess(await stage.start(at(addressOf('postgres', 'shared'))))
    expect([...(await client.unsafe('SELECT text FROM diary'))]).toEqual([{ text: 'dear diary' }])
    await client.close()
  })

  test('a role that owns its database is enough, for several processes at once', async () => {
    await administer('CREATE ROLE owner LOGIN')
    await administer('CREATE DATABASE owned OWNER owner')
    const env = at(addressOf('owner', 'owned'))
    const first = await stage.start(env)
    const second = await stage.start({ ...env, HEADGATE_POSTGRES_CONNECTIONS_MAX: '2' })
    for (const { url } of [first, second]) {
      expect((await callProcess({ ...first, url }, 'eth_gasPrice')).status).toBe(200)
    }
    await Promise.all([stopProcess(first), stopProcess(second)])
  })

  test('while the server is away known keys are served, the rest is told, and all comes back', async () => {
    await administer('CREATE DATABASE away')
    const headgate = await stage.start(at(addressOf('postgres', 'away')))
    const { url, keys } = headgate
    const headers = { 'x-service-token': keys.team_token }
    const callWith = async (app_key: string) =>
      (await callProcess({ ...headgate, keys: { ...keys, app_key } }, 'eth_gasPrice')).status
    const readiness = async () => (await fetch(`${url}/readyz`)).status
    const usage = () => fetch(`${url}/api/usage/time-series?bucket=month`, { headers })
    expect(await callWith(keys.app_key)).toBe(200)

    await server.stop('SIGQUIT')
    await until(async () => (await readiness()) === 503, 'it is not ready')
    expect(await callWith(keys.app_key)).toBe(200)
    expect(await callWith('k'.repeat(32))).toBe(503)
    expect((await usage()).status).toBe(503)

    await server.start()
    await until(async () => (await readiness()) === 200, 'it is ready again')
    expect(await callWith('k'.repeat(32))).toBe(401)
    expect(await callWith(keys.app_key)).toBe(200)
    // One before, one while it was away, one after.
    await until(async () => (await (await usage()).text()).includes('"calls":3'), 'all are billed')
  })

  test('a server that comes later is waited for', async () => {
    await administer('CREATE DATABASE late')
    await server.stop('SIGINT')
    const isAwaited = (said: string) => said.includes('"event":"database_awaited"')
    const headgate = await stage.start(at(addressOf('postgres', 'late')), async (_, said) => {
      await until(() => isAwaited(said()), 'it says that it waits')
      await server.start()
    })
    expect((await callProcess(headgate, 'eth_gasPrice')).status).toBe(200)
    expect(headgate.said()).not.toContain(PASSWORD)
    await stopProcess(headgate)
  })
})
