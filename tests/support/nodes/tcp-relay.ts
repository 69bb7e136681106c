import { createServer, connect as dial, type Socket } from 'node:net'

/** Stands between a client and a server on this machine, and can be cut like a cable. */
export type TcpRelay = {
  port: number
  /** Nothing gets through any more, in either direction, and nobody is told. */
  cut(): void
  /** New connections get through again; those from before stay dead. */
  mend(): void
  /** New connections go to another server; those from before stay. */
  pointTo(port: number): void
  /** New connections go to another server; those from before stay open, and are dead. */
  moveTo(port: number): void
  /** Every connection is reset. */
  reset(): void
  close(): Promise<void>
}

export async function startTcpRelay(firstTarget: number): Promise<TcpRelay> {
  let targetPort = firstTarget
  const pairs = new Set<Socket>()
  const dead = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    const target = dial(targetPort, '127.0.0.1')
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      pairs.add(from)
      if (isCut) dead.add(from)
      from.on('data', (bytes) => void (dead.has(from) || to.write(bytes)))
      from.on('error', () => {})
      from.on('close', () => {
        pairs.delete(from)
        if (!dead.has(from)) to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it has a port')
  return {
    port: address.port,
    cut() {
      isCut = true
      for (const socket of pairs) dead.add(socket)
    },
    mend() {
      isCut = false
    },
    pointTo(port) {
      targetPort = port
    },
    moveTo(port) {
      for (const socket of pairs) dead.add(socket)
      targetPort = port
    },
    reset() {
      for (const socket of pairs) socket.resetAndDestroy()
    },
    async close() {
      for (const socket of pairs) socket.destroy()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}
