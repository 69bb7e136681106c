import { until } from '../basics/until.ts'
import { startTcpRelay } from '../nodes/tcp-relay.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

/** A primary and a standby that follows it. */
export type PostgresPair = {
  primary: PostgresServer
  standby: PostgresServer
  /** Commits wait for the standby from now on. */
  makeSynchronous(): Promise<void>
  /** The standby receives no more commits from now on. */
  cutReplication(): void
  untilReplicated(): Promise<void>
  /** The primary dies, and so have its sessions when this resolves. */
  killPrimary(): Promise<void>
  /** The standby becomes a primary. */
  promote(): Promise<void>
  run(server: PostgresServer, text: string): Promise<Record<string, string>[]>
  close(): Promise<void>
}

/** The standby starts as a copy of the primary, which is stopped for a moment. */
export async function startPostgresPair(): Promise<PostgresPair> {
  const primary = await startPostgresServer()
  const relay = await startTcpRelay(primary.port)
  await primary.stop('SIGINT')
  const source = `primary_conninfo=host=127.0.0.1 port=${relay.port} user=postgres`
  const options = [source, 'wal_retrieve_retry_interval=50ms']
  const standby = await startPostgresServer(options, { copyOf: primary.data })
  await primary.start()

  const run = async (server: PostgresServer, text: string) => {
    const client = new Bun.SQL(`${server.url}/postgres`, { max: 1 })
    try {
      return [...(await client.unsafe(text))]
    } finally {
      await client.close({ timeout: 0 })
    }
  }
  const untilReplicated = () =>
    until(async () => {
      // A standby that has just connected has reported nothing yet.
      const behind = await run(
        primary,
        `SELECT pg_current_wal_lsn() - replay_lsn AS bytes FROM pg_stat_replication
          WHERE replay_lsn IS NOT NULL`,
      )
      return behind.length > 0 && behind.every(({ bytes }) => Number(bytes) === 0)
    }, 'the standby has everything')
  await untilReplicated()

  return {
    primary,
    standby,
    run,
    untilReplicated,
    async makeSynchronous() {
      await run(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
      await run(primary, 'SELECT pg_reload_conf()')
      const states = 'SELECT sync_state FROM pg_stat_replication'
      await until(
        async () => (await run(primary, states))[0]?.sync_state === 'sync',
        'commits wait for the standby',
      )
    },
    cutReplication: relay.cut,
    async killPrimary() {
      const sessions = await run(primary, 'SELECT pid FROM pg_stat_activity')
      await primary.stop('SIGKILL')
      // Each notices by itself that the server is gone, and serves its client until then.
      const areGone = () => sessions.every(({ pid }) => !isRunning(Number(pid)))
      await until(areGone, 'the sessions of the primary have ended')
    },
    async promote() {
      await run(standby, 'SELECT pg_promote()')
    },
    async close() {
      await relay.close()
      await Promise.all([primary.close(), standby.close()])
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
