import type { Connection, ConnectionOwner } from './connector.ts'

export type IdlePool = ReturnType<typeof openIdlePool>

type Idle = { connection: Connection; untilMs: number; order: number }

/** The last one was given back last. It may be empty, for most fill again soon. */
type Stack = { idle: Idle[]; owner: ConnectionOwner }

type PoolOptions = {
  perOriginMax: number
  /** Beyond this, those unused for longest go. */
  totalMax: number
}

/** How many go at once, so that a full pool does not look through all of them each time. */
const EVICTED_SHARE = 0.05

/** Takes the connection that was used last, so that the others may grow old. */
export function openIdlePool({ perOriginMax, totalMax }: PoolOptions) {
  const stacks = new Map<string, Stack>()
  let count = 0
  let lastOrder = 0
  let isClosed = false

  const openStack = (origin: string): Stack => {
    // All but `totalMax` are empty.
    if (stacks.size >= totalMax * 2) {
      for (const [name, { idle }] of stacks) if (idle.length === 0) stacks.delete(name)
    }
    const idle: Idle[] = []
    const closed = (connection: Connection) => {
      const at = idle.findIndex((one) => one.connection === connection)
      if (at < 0) return
      idle.splice(at, 1)
      count--
    }
    // Nothing was asked, so whatever this is, the connection cannot be trusted.
    const received = (connection: Connection) => {
      closed(connection)
      connection.terminate()
    }
    const stack: Stack = { idle, owner: { received, closed } }
    stacks.set(origin, stack)
    return stack
  }

  const endWhere = (isUseless: (idle: Idle) => boolean) => {
    for (const { idle } of stacks.values()) {
      for (const one of idle.filter(isUseless)) {
        idle.splice(idle.indexOf(one), 1)
        count--
        one.connection.end()
      }
    }
  }

  const endOldest = () => {
    const orders = [...stacks.values()].flatMap(({ idle }) => idle.map(({ order }) => order))
    const evicted = Math.ceil(totalMax * EVICTED_SHARE)
    const limit = orders.sort((a, b) => a - b)[evicted] ?? lastOrder
    endWhere(({ order }) => order < limit)
  }

  return {
    take(origin: string, nowMs: number): Connection | undefined {
      const idle = stacks.get(origin)?.idle
      for (let one = idle?.pop(); one; one = idle?.pop()) {
        const { connection, untilMs } = one
        count--
        connection.owner = null
        if (untilMs > nowMs) return connection
        connection.end()
      }
      return undefined
    },
    /** Keeps a connection until then, and ends it at once where there are enough. */
    keep(origin: string, connection: Connection, untilMs: number) {
      const { idle, owner } = stacks.get(origin) ?? openStack(origin)
      if (isClosed || idle.length >= perOriginMax) return connection.end()
      connection.owner = owner
      idle.push({ connection, untilMs, order: ++lastOrder })
      count++
      if (count > totalMax) endOldest()
    },
    sweep: (nowMs: number) => endWhere(({ untilMs }) => untilMs <= nowMs),
    count: () => count,
    /** Ends all of them, and all that are still kept later. */
    close(): void {
      isClosed = true
      endWhere(() => true)
    },
  }
}
