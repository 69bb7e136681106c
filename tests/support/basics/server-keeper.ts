import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * Runs a server for as long as its standard input is open, so that none outlives the process that
 * wanted it, and removes its folder then. Each line is a command: `start`, or a signal's name;
 * each is answered by a line when it is done.
 */
const [folder = '', user = '', ready = '', command = '', ...options] = process.argv.slice(2)
const identity = user === '' ? {} : { uid: Number(user), gid: Number(user) }

// A test that takes too long has this process killed; where Linux can, the server ends with it.
const [first, ...rest] = Bun.which('setpriv') ? ['setpriv', '--pdeathsig', 'QUIT'] : ['env']

let server = null as ChildProcess | null
let ended: Promise<void> = Promise.resolve()

const start = async () => {
  const child = spawn(first, [...rest, command, ...options], {
    ...identity,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  server = child
  ended = new Promise((resolve) => child.once('exit', () => resolve()))
  const said: string[] = []
  for await (const line of createInterface({ input: child.stderr! })) {
    said.push(line)
    if (!line.includes(ready)) continue
    child.stderr?.resume()
    return 'ready'
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
server?.kill('SIGQUIT')
await ended
rmSync(folder, { recursive: true, force: true })
