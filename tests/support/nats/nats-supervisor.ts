import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * Runs a server for as long as its standard input is open, so that none outlives the process that
 * wanted it, and removes its folder then. Each line is a command: `start`, or a signal's name;
 * each is answered by a line when it is done.
 */
const [command = '', config = '', folder = '', routed = ''] = process.argv.slice(2)
const isRouted = routed === 'routed'

// A test that takes too long has this process killed; where Linux can, the server dies with it.
const [first, ...rest] = Bun.which('setpriv') ? ['setpriv', '--pdeathsig', 'KILL'] : ['env']

const LISTENING = /Listening for (client|route) connections on [^ ]*:(\d+)/

let server = undefined as ChildProcess | undefined
let ended: Promise<void> = Promise.resolve()

async function start(): Promise<string> {
  const child = spawn(first, [...rest, command, '-c', config], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = child
  ended = new Promise((resolve) => child.once('exit', () => resolve()))
  const ports: Record<string, number> = {}
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line)
    const [, kind, port] = LISTENING.exec(line) ?? []
    if (kind !== undefined) ports[kind] = Number(port)
    if (ports.client === undefined || (isRouted && ports.route === undefined)) continue
    child.stderr.resume()
    return `ready ${JSON.stringify(ports)}`
  }
  return `failed ${said.join(' | ')}`
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'start') console.log(await start())
  else {
    server?.kill(line as NodeJS.Signals)
    // A server that is stopped for a while goes on later.
    if (line !== 'SIGSTOP' && line !== 'SIGCONT') await ended
    console.log('done')
  }
}
server?.kill('SIGKILL')
await ended
rmSync(folder, { recursive: true, force: true })
