import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Routes, startServer } from '../../http/server.ts'
import type { Drivers } from '../drivers.ts'
import { ADDRESS_HEADER } from './forwarded-accounts.ts'

type SocketServer = {
  /** The path of the socket. */
  socket: string
  stop(): Promise<void>
}

/** Serves processes of ours on a socket that nobody else can reach. */
export function serveOverSocket(
  { clock, telemetry }: Pick<Drivers, 'clock' | 'telemetry'>,
  routes: Routes,
): SocketServer {
  // For this user alone. Not in the data folder: its path may be too long for a socket.
  const folder = mkdtempSync(join(tmpdir(), 'headgate-workers-'))
  const socket = join(folder, 'main.sock')
  const remove = () => rmSync(folder, { recursive: true, force: true })
  const shown = { addressHeader: ADDRESS_HEADER, trustProxy: false, domain: () => '' }
  const where = { host: '', port: 0, socket, descriptors: null }
  try {
    const server = startServer({ clock, telemetry, ...where, ...shown, routes: () => routes })
    return {
      socket,
      async stop() {
        await server.stop(0)
        remove()
      },
    }
  } catch (thrown) {
    remove()
    throw thrown
  }
}
