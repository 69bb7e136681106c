import { openSemaphore } from '../../core/async/semaphore.ts'
import { within } from '../../core/async/within.ts'
import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Sql } from '../../ports/database.ts'
import type { PostgresConnection } from './postgres-connection.ts'

type Needs = { clock: Clock; connect(): PostgresConnection }

type Limits = {
  connectionsMax: number
  /** Callers that may wait for a connection. */
  waitingMax: number
  /** How long a caller waits for one. */
  waitMs: number
  /** A server that has answered nothing for so long is asked whether it is there at all. */
  silentMs: number
  /** How long it has for that. */
  probeMs: number
  /** A connection that has answered nothing for so long is given up, whatever the server does. */
  answerMs: number
}

export type PostgresPool = {
  /** Lends a connection to `work` alone. */
  use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const LOOK_EVERY_MS = 1000

const PROBE: Sql = { parts: ['SELECT 1'], values: [] }

/**
 * Connections to one server. A server that is cut off closes none of them: it is found out by a
 * connection of its own, and until it answers again all callers are told at once.
 */
export function openPostgresPool({ clock, connect }: Needs, limits: Limits): PostgresPool {
  const permits = openSemaphore(limits.connectionsMax, limits.waitingMax)
  const connections = openConnections({ clock, connect })
  const { take, putBack, drop, silent } = connections
  let isAway = false
  let probing: Promise<void> | null = null

  const probe = async () => {
    const connection = connect()
    const asked = connection.run(PROBE).then(
      () => true,
      () => false,
    )
    isAway = !(await within(clock, limits.probeMs, asked, () => false))
    connection.close().catch(() => {})
    probing = null
    if (isAway) connections.dropAll()
  }

  const stopLooking = clock.every(LOOK_EVERY_MS, () => {
    for (const connection of silent(limits.answerMs)) drop(connection)
    if (probing || (!isAway && silent(limits.silentMs).length === 0)) return
    probing = probe()
  })

  const permit = async () => {
    const asked = permits.acquire()
    const late = () => {
      // It may come after all, and is for others then.
      asked.then((release) => release?.())
      return null
    }
    const release = await within(clock, limits.waitMs, asked, late)
    if (!release) throw new Failure('database_unavailable', { code: 'too_many_waiting' })
    return release
  }

  return {
    async use(work) {
      if (isAway) throw new Failure('database_unavailable', { code: 'server_away' })
      const release = permits.tryAcquire() ?? (await permit())
      try {
        const connection = take()
        try {
          return await work(connection)
        } finally {
          putBack(connection)
        }
      } finally {
        release()
      }
    },
    async close() {
      stopLooking()
      await probing
      await connections.close()
    },
  }
}

/** The open connections, lent or idle. */
function openConnections({ clock, connect }: Needs) {
  const idle: PostgresConnection[] = []
  const open = new Set<PostgresConnection>()
  let isClosed = false

  const drop = (connection: PostgresConnection) => {
    open.delete(connection)
    connection.close().catch(() => {})
  }

  return {
    take() {
      for (let known = idle.pop(); known; known = idle.pop()) {
        if (!known.isBroken()) return known
        // The server ended it while nobody used it.
        drop(known)
      }
      const connection = connect()
      open.add(connection)
      return connection
    },
    putBack(connection: PostgresConnection) {
      if (!isClosed && !connection.isBroken() && !connection.isWorn()) idle.push(connection)
      else drop(connection)
    },
    drop,
    /** Lent ones fail; idle ones may be as dead. */
    dropAll() {
      idle.length = 0
      for (const connection of open) drop(connection)
    },
    /** The connections that wait for the server, and have heard nothing for so long. */
    silent(forMs: number): PostgresConnection[] {
      const beforeMs = clock.monotonicMs() - forMs
      return [...open].filter((connection) => (connection.waitingSinceMs() ?? Infinity) < beforeMs)
    },
    async close() {
      isClosed = true
      await Promise.all([...open].map((connection) => connection.close().catch(() => {})))
      open.clear()
    },
  }
}
