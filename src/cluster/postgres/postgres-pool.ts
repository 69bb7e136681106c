import { openSemaphore, type Semaphore } from '../../core/async/semaphore.ts'
import { within } from '../../core/async/within.ts'
import { Failure } from '../../core/errors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { PostgresConnection } from './postgres-connection.ts'
import {
  NO_ANSWER,
  type PostgresServer,
  type ProbedServer,
  probeServers,
} from './postgres-probe.ts'

type Needs = {
  clock: Clock
  /** One of them is used: the one that accepts writes. */
  servers: readonly PostgresServer[]
  /** A pooler shares its sessions out, so nothing can be concluded from them. */
  isPooled: boolean
}

type Limits = {
  connectionsMax: number
  waitingMax: number
  waitMs: number
  /** If a connection has received nothing for this long, the servers are probed. */
  silentMs: number
  probeMs: number
  /** A connection that has received nothing for this long is dropped in any case. */
  answerMs: number
}

export type PostgresPool = {
  /** Lends a connection to `work` alone. */
  use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** A connection when a probe starts; its session is null until the server has named it. */
type Suspect = { connection: PostgresConnection; session: string | null }

const LOOK_EVERY_MS = 500

/** SQLSTATE of a write on a standby, or on a primary that was set to read only. */
const READ_ONLY_TRANSACTION = '25006'

/**
 * Connections to the server that accepts writes. A server or network that fails silently closes no
 * connection, so a probe on a new connection tells which servers, and which of our connections,
 * are alive. While no server answers, callers fail at once.
 */
export function openPostgresPool(needs: Needs, limits: Limits): PostgresPool {
  const { clock, servers } = needs
  const permits = openSemaphore(limits.connectionsMax, limits.waitingMax)
  let current = servers[0]!
  const connections = openConnections(() => current.connect())
  /** Why no server can be used; null while one can. */
  let away: string | null = null
  /** Another server may have been promoted. */
  let isDoubted = servers.length > 1
  let isClosed = false
  let probing: Promise<void> | null = null

  const probe = async () => {
    const sinceMs = clock.monotonicMs() - limits.silentMs
    const suspects = connections.suspects(sinceMs)
    const answers = await probeServers(needs, servers, limits.probeMs)
    const best = bestServer(answers, current)
    away = best ? null : (answers.find((answer) => typeof answer === 'string') ?? NO_ANSWER)
    isDoubted = false
    probing = null
    if (best?.server !== current) connections.dropAll()
    else if (best.sessions) connections.dropDead(suspects, best.sessions, sinceMs)
    if (best) current = best.server
  }

  const stopLooking = clock.every(LOOK_EVERY_MS, () => {
    const nowMs = clock.monotonicMs()
    for (const connection of connections.silentSince(nowMs - limits.answerMs)) {
      connections.drop(connection)
    }
    const isSilent = connections.silentSince(nowMs - limits.silentMs).length > 0
    if (away !== null || isSilent) probing ??= probe()
  })

  const lend = async <T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
    const connection = connections.take()
    try {
      return await work(connection)
    } catch (thrown) {
      const mayHaveMoved = servers.length > 1 ? connection.isBroken() : isReadOnly(thrown)
      if (mayHaveMoved && !isClosed) isDoubted = true
      throw thrown
    } finally {
      connections.putBack(connection)
    }
  }

  return {
    async use(work) {
      if (isDoubted && away === null) {
        probing ??= probe()
        await probing
      }
      if (away !== null) throw new Failure('database_unavailable', { code: away })
      const release = permits.tryAcquire() ?? (await waitForPermit(needs, permits, limits))
      try {
        return await lend(work)
      } finally {
        release()
      }
    },
    async close() {
      isClosed = true
      stopLooking()
      await probing
      await connections.close()
    },
  }
}

/**
 * The server to use: of those that accept writes the one that was promoted last, which also wins
 * over an old primary that came back. Without any, the current one if it still serves reads.
 */
function bestServer(
  answers: readonly (ProbedServer | string)[],
  current: PostgresServer,
): ProbedServer | null {
  const answered = answers.filter((answer) => typeof answer !== 'string')
  const rank = ({ acceptsWrites, timeline, server }: ProbedServer) =>
    (acceptsWrites ? 2 * timeline + 2 : 0) + (server === current ? 1 : 0)
  const [best] = answered.toSorted((a, b) => rank(b) - rank(a))
  return best && rank(best) > 0 ? best : null
}

async function waitForPermit({ clock }: Needs, permits: Semaphore, { waitMs }: Limits) {
  const asked = permits.acquire()
  const late = () => {
    // It may still arrive, and is then for others.
    asked.then((release) => release?.())
    return null
  }
  const release = await within(clock, waitMs, asked, late)
  if (!release) throw new Failure('database_unavailable', { code: 'too_many_waiting' })
  return release
}

function isReadOnly(thrown: unknown): boolean {
  return thrown instanceof Failure && thrown.facts.code === READ_ONLY_TRANSACTION
}

function openConnections(connect: () => PostgresConnection) {
  const idle: PostgresConnection[] = []
  const open = new Set<PostgresConnection>()
  /** Connections that wait while the server is idle, with the time when they started to wait. */
  let doubted = new Map<PostgresConnection, number | null>()
  let isClosed = false

  const drop = (connection: PostgresConnection) => {
    open.delete(connection)
    connection.close().catch(() => {})
  }

  return {
    take() {
      for (let known = idle.pop(); known; known = idle.pop()) {
        if (!known.isBroken()) return known
        // The server closed it while it was idle.
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
    dropAll() {
      idle.length = 0
      for (const connection of open) drop(connection)
    },
    /** The connections that a probe which starts now can tell something about. */
    suspects: (sinceMs: number): Suspect[] =>
      [...open]
        .map((connection) => ({ connection, session: connection.session() }))
        .filter(({ connection, session }) => session !== null || isSilent(connection, sinceMs)),
    /**
     * Drops connections that the server does not have, as after its address has moved, and those
     * that wait for an answer while the server has nothing to do for them.
     */
    dropDead(
      suspects: readonly Suspect[],
      sessions: ReadonlyMap<string, boolean>,
      sinceMs: number,
    ) {
      const doubtedBefore = doubted
      doubted = new Map()
      for (const { connection, session } of suspects) {
        const isBusy = sessions.get(session ?? '')
        if (session !== null && isBusy === undefined) drop(connection)
        if (isBusy || !isSilent(connection, sinceMs)) continue
        // Its answer may be on the way to us, so only the second probe in a row decides.
        const waitingSinceMs = connection.waitingSinceMs()
        if (doubtedBefore.get(connection) === waitingSinceMs) drop(connection)
        else doubted.set(connection, waitingSinceMs)
      }
    },
    silentSince: (sinceMs: number) => [...open].filter((one) => isSilent(one, sinceMs)),
    async close() {
      isClosed = true
      await Promise.all([...open].map((connection) => connection.close().catch(() => {})))
      open.clear()
    },
  }
}

function isSilent(connection: PostgresConnection, sinceMs: number): boolean {
  return (connection.waitingSinceMs() ?? Infinity) < sinceMs
}
