import { readFileSync } from 'node:fs'

/** The costs of one piece of work, each of many alike. */
export type Cost = {
  perSecond: number
  /** CPU of our process, as the work says. */
  oursUs: number
  /** CPU of all processes of the server. */
  serverUs: number
  walBytes: number
  /** Tables and indexes. */
  diskBytes: number
}

/** Linux counts a process's time in hundredths of a second. */
const TICK_US = 10_000

const LOOK = `
  SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS wal,
    pg_database_size(current_database())::text AS size, pg_backend_pid() AS pid`

/** Does work on so many pieces, which tells the CPU it took, and looks at the server around it. */
export async function serverCost(
  url: string,
  pieces: number,
  work: () => Promise<number>,
): Promise<Cost> {
  const client = new Bun.SQL(url, { max: 1 })
  const look = async () => {
    const [row] = await client.unsafe(LOOK)
    const cpuUs = treeUs(Number(statOf(Number(row.pid))[1]))
    return { wal: Number(row.wal), size: Number(row.size), cpuUs }
  }
  const before = await look()
  const startedMs = performance.now()
  const oursUs = await work()
  const seconds = (performance.now() - startedMs) / 1000
  const after = await look()
  await client.close()
  return {
    perSecond: pieces / seconds,
    oursUs: oursUs / pieces,
    serverUs: (after.cpuUs - before.cpuUs) / pieces,
    walBytes: (after.wal - before.wal) / pieces,
    diskBytes: (after.size - before.size) / pieces,
  }
}

export function costText({ perSecond, oursUs, serverUs, walBytes, diskBytes }: Cost): string {
  const [rate, ours, server, wal, disk] = [perSecond, oursUs, serverUs, walBytes, diskBytes].map(
    (value) => Math.round(value).toLocaleString('en'),
  )
  return (
    `${rate} a second; CPU: ours ${ours} µs, the server's ${server} µs; ` +
    `${wal} bytes of WAL, ${disk} bytes of tables and indexes`
  )
}

/** The CPU time of the process that runs this. */
export function ownUs(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** The server's own time, that of the processes it has now, and of those that ended. */
function treeUs(postmaster: number): number {
  const [user, system, endedUser, endedSystem] = statOf(postmaster).slice(11, 15).map(Number)
  let ticks = (user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0)
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
  for (const pid of children.trim().split(' ').filter(Boolean)) {
    const [own = 0, kernel = 0] = statOf(Number(pid)).slice(11, 13).map(Number)
    ticks += own + kernel
  }
  return ticks * TICK_US
}

/** The fields after the name, which may hold anything: the state is the first of them. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
}
