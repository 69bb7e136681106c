import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cleanUp, newFolder, runToEnd, startProcess } from '../support/product/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BIN = join(ROOT, 'bin')

const LOCAL = { HEADGATE_LISTEN: '127.0.0.1:0' }

afterEach(cleanUp)

describe('the bin of the package, by a link and from any folder', () => {
  test('passes on what the program says and how it ends', async () => {
    const folder = newFolder()
    const command = linkIn(folder)
    const version = await runToEnd({ folder, command, args: ['--version'] })
    expect(version).toMatchObject({ exitCode: 0, stderr: '' })
    const { exitCode, stderr } = await runToEnd({ folder, command, args: ['--chekc'] })
    expect(exitCode).toBe(2)
    expect(stderr).toBe('--chekc is not an option; did you mean --check?\n')
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('stops as it should on %s', async (signal) => {
    const folder = newFolder()
    const headgate = await startProcess({ folder, command: linkIn(folder), env: LOCAL })
    headgate.signal(signal)
    expect(await headgate.exited).toBe(0)
    await expect(fetch(`${headgate.url}/healthz`)).rejects.toThrow()
  })

  test.skipIf(!existsSync('/proc/self/task'))('ends as the program does when killed', async () => {
    const folder = newFolder()
    const headgate = await startProcess({ folder, command: linkIn(folder), env: LOCAL })
    const { pid } = headgate
    const [program] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
    process.kill(Number(program), 'SIGKILL')
    // As a shell counts: 128 and the number of the signal.
    expect(await headgate.exited).toBe(128 + 9)
  })
})

describe('a machine that lacks something', () => {
  test.each(['headgate.cjs', 'runtime.cjs'])('an old Node is told of by %s', (name) => {
    const file = join(BIN, name)
    const pretend = "Object.defineProperty(process.versions, 'node', { value: '18.20.4' })"
    // The second is run by npm start.
    const run = name === 'runtime.cjs' ? `require('${file}')()` : `require('${file}')`
    expect(ended(['node', '-e', `${pretend}; ${run}`])).toEqual({
      exitCode: 1,
      stderr:
        'Headgate needs Node 20 or newer, and this is Node 18.20.4. Install a newer one from ' +
        'https://nodejs.org and run this again.\n',
    })
  })

  test('a runtime that is not installed, or not in place, is told of with the remedy', () => {
    const home = newFolder()
    cpSync(BIN, join(home, 'bin'), { recursive: true })
    const start = ['node', 'bin/headgate.cjs', 'start']
    expect(ended(start, home)).toEqual({
      exitCode: 1,
      stderr: 'The runtime is not installed. Run npm install (in a checkout: npm ci) first.\n',
    })

    // As npm leaves it without install scripts.
    const bun = join(home, 'node_modules', 'bun')
    mkdirSync(join(bun, 'bin'), { recursive: true })
    writeFileSync(join(bun, 'package.json'), '{ "name": "bun" }')
    writeFileSync(join(bun, 'bin', 'bun.exe'), 'echo the install script was not run; exit 1')
    const sentence = {
      exitCode: 1,
      stderr:
        'The runtime is not in place: npm was told to run no install scripts. Put it in place ' +
        'with: node node_modules/bun/install.js\n',
    }
    expect(ended(start, home)).toEqual(sentence)
    expect(ended(['node', 'bin/runtime.cjs'], home)).toEqual(sentence)
  })

  test('npm start looks at the same before anything else', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(scripts.prestart).toStartWith('node bin/runtime.cjs && ')
    expect(scripts.start).toStartWith('exec ')
  })
})

function linkIn(folder: string): string[] {
  const link = join(folder, 'headgate')
  symlinkSync(join(BIN, 'headgate.cjs'), link)
  return [link]
}

function ended(command: string[], cwd = ROOT): { exitCode: number; stderr: string } {
  const { exitCode, stderr } = Bun.spawnSync(command, { cwd })
  return { exitCode, stderr: `${stderr}` }
}
