import { afterEach, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { rpc, until } from '../../support/product/headgate.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../../support/product/headgate-process.ts'

const OPEN_FILES_MAX = 256
const CONNECTIONS = 400

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10

const LOOKED_AT_MS = 1000

afterEach(cleanUp)

test.skipIf(process.platform !== 'linux')(
  'more connections than files may be open are refused, and neither spin nor starve the service',
  async () => {
    const node = startFakeNode()
    const folder = newFolder()
    const args = ['--config', writeConfig(folder, configText([node]))]
    const headgate = await startProcess({ folder, args, openFilesMax: OPEN_FILES_MAX })
    const release = Promise.withResolvers<void>()
    node.misbehave = async (method) => {
      if (method === 'eth_getBalance') await release.promise
      return null
    }
    const early = openConnection(headgate)
    early.socket.write(call(headgate))
    await until(() => node.callsOf('eth_getBalance') === 1, 'a call is under way')

    const crowd = Array.from({ length: CONNECTIONS }, () => {
      const connection = openConnection(headgate)
      // A request that does not get further.
      connection.socket.write('POST / HT')
      return connection
    })
    await until(() => headgate.said().includes('"connections_refused"'), 'it is full')
    await until(() => crowd.some(({ isGone }) => isGone), 'some are refused')

    const busyBefore = processorMs(headgate.pid)
    await Bun.sleep(LOOKED_AT_MS)
    expect(processorMs(headgate.pid) - busyBefore).toBeLessThan(LOOKED_AT_MS / 2)

    // Clients that were connected before are served.
    release.resolve()
    await until(() => early.said.includes('"result"'), 'the early client has its answer')

    for (const { socket } of crowd) socket.destroy()
    await until(() => headgate.said().includes('"connections_accepted"'), 'it has room again')
    const late = openConnection(headgate)
    late.socket.write(call(headgate))
    await until(() => late.said.includes('"result"'), 'the late client has its answer')
    late.socket.destroy()
    node.stop()
  },
  30_000,
)

type Connection = { socket: Socket; isGone: boolean; said: string }

function openConnection({ url }: HeadgateProcess): Connection {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) })
  const connection: Connection = { socket, isGone: false, said: '' }
  socket.on('data', (bytes) => {
    connection.said += bytes.toString()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    connection.isGone = true
  })
  return connection
}

function call({ keys }: HeadgateProcess): string {
  const body = JSON.stringify(rpc('eth_getBalance', ['0x00', 'latest']))
  const head = `POST /eth-mainnet/v2/${keys.app_key} HTTP/1.1\r\nhost: a\r\n`
  return `${head}content-length: ${body.length}\r\n\r\n${body}`
}

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
