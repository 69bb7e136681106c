import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { failureOf } from '../../../tests/support/basics/failure-of.ts'
import { heardFrom } from '../../../tests/support/deliveries/heard-from.ts'
import { openPostgresSignals } from '../../../tests/support/postgres/postgres-signals.ts'
import { startTlsServers, type TlsServers } from '../../../tests/support/postgres/tls-servers.ts'
import { lacksPostgres } from '../../../tests/support/product/world.ts'
import { Failure } from '../../core/errors.ts'
import { sql } from '../../ports/database.ts'
import { systemClock } from '../../system/machine/system-clock.ts'
import { openPostgresDatabase } from './postgres-database.ts'

describe.skipIf(lacksPostgres())('TLS to a PostgreSQL server', () => {
  let servers: TlsServers

  beforeAll(async () => {
    servers = await startTlsServers()
  })
  afterAll(() => servers.close())

  const urlOf = (server: 'encrypted' | 'misnamed' | 'plain', query: string) =>
    `postgres://postgres@localhost:${servers[server].port}/postgres${query}`

  /** True when the connection is encrypted. */
  async function isEncrypted(url: string): Promise<boolean> {
    const options = { url, connectionsMax: 2, isPooled: false, procedures: [] }
    const db = openPostgresDatabase({ clock: systemClock() }, options)
    try {
      const [row] = await db.query<{ ssl: boolean }>(sql`
        SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`)
      return row!.ssl
    } finally {
      await db.close()
    }
  }

  const refusal = async (url: string) => {
    const failure = await failureOf(isEncrypted(url))
    if (!(failure instanceof Failure)) throw failure
    expect(failure.code).toBe('database_unavailable')
    return failure.facts.code
  }

  test('verify-full takes a certificate of the authority in sslrootcert, for that host', async () => {
    const query = `?sslmode=verify-full&sslrootcert=${servers.ca}`
    expect(await isEncrypted(urlOf('encrypted', query))).toBe(true)
  })

  test('verify-full refuses a certificate for another host', async () => {
    const query = `?sslmode=verify-full&sslrootcert=${servers.ca}`
    expect(await refusal(urlOf('misnamed', query))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('verify-full refuses an unknown authority, with a file of others or without one', async () => {
    for (const query of ['', `&sslrootcert=${servers.otherCa}`]) {
      const url = urlOf('encrypted', `?sslmode=verify-full${query}`)
      expect(await refusal(url)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    }
  })

  test('verify-ca takes any host of the authority, and no other authority', async () => {
    const query = (file: string) => `?sslmode=verify-ca&sslrootcert=${file}`
    expect(await isEncrypted(urlOf('misnamed', query(servers.ca)))).toBe(true)
    expect(await refusal(urlOf('misnamed', query(servers.otherCa)))).toBe(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    )
  })

  test.each(['require', 'verify-ca', 'verify-full'])(
    '%s refuses a server that has no TLS',
    async (mode) => {
      const query = `?sslmode=${mode}&sslrootcert=${servers.ca}`
      expect(await refusal(urlOf('plain', query))).toBe('ERR_POSTGRES_TLS_NOT_AVAILABLE')
    },
  )

  test('require encrypts and checks nothing, prefer takes what there is', async () => {
    expect(await isEncrypted(urlOf('misnamed', '?sslmode=require'))).toBe(true)
    expect(await isEncrypted(urlOf('misnamed', '?sslmode=prefer'))).toBe(true)
    expect(await isEncrypted(urlOf('plain', '?sslmode=prefer'))).toBe(false)
  })

  test('with authorities named, the host is checked in any mode but verify-ca', async () => {
    for (const mode of ['', 'sslmode=prefer&', 'sslmode=require&']) {
      const query = `?${mode}sslrootcert=${servers.ca}`
      expect(await isEncrypted(urlOf('encrypted', query))).toBe(true)
      expect(await refusal(urlOf('misnamed', query))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    }
  })

  test('without sslmode nothing is encrypted', async () => {
    expect(await isEncrypted(urlOf('encrypted', ''))).toBe(false)
  })

  test('a file of authorities that is not there is no reason to trust all', async () => {
    const query = `?sslmode=verify-full&sslrootcert=${servers.ca}.missing`
    expect(await failureOf(isEncrypted(urlOf('encrypted', query)))).toBeDefined()
  })

  test('signals go the same way', async () => {
    const url = urlOf('encrypted', `?sslmode=verify-full&sslrootcert=${servers.ca}`)
    const [here, there] = [openPostgresSignals(url), openPostgresSignals(url)]
    await heardFrom(here, there)
    await Promise.all([here.close(), there.close()])
  })
})
