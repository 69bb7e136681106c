import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { blockBody, SIGNING_KEY, signedHeaders } from '../support/deliveries/signed-delivery.ts'

const ROOT = new URL('../..', import.meta.url).pathname
const TSC = join(ROOT, 'node_modules/.bin/tsc')
const BUILD_MS_MAX = 180_000

/** The code of an app that has the package installed. */
const APP = `
import { openReceiver } from 'headgate/receiver'
const receiver = openReceiver({ signingKeys: process.argv[2] ?? '', onDelivery() {} })
const { body, headers } = JSON.parse(process.argv[3] ?? '')
const kinds = []
for (let at = 0; at < 2; at++) kinds.push((await receiver.receive({ body, headers })).kind)
headers['webhook-id'] = 'whevt_2'
kinds.push((await receiver.receive({ body, headers })).kind)
console.log(kinds.join(' '))
`

describe('headgate/receiver as it is published', () => {
  let app = ''
  let copy = ''

  beforeAll(() => {
    app = mkdtempSync(join(tmpdir(), 'receiver-'))
    copy = copyOfCheckout()
    const home = join(app, 'node_modules/headgate')
    mkdirSync(home, { recursive: true })
    run(['npm', 'pack', '--pack-destination', app], copy)
    const [tarball = ''] = readdirSync(app).filter((name) => name.endsWith('.tgz'))
    expect(run(['tar', '-xzf', join(app, tarball), '--strip-components=1'], home)).toBe('')
    writeFileSync(join(app, 'package.json'), '{"type":"module"}')
    writeFileSync(join(app, 'app.js'), APP)
    writeFileSync(join(app, 'app.ts'), `declare const process: { argv: string[] }\n${APP}`)
  }, BUILD_MS_MAX)

  afterAll(() => {
    for (const folder of [app, copy]) rmSync(folder, { recursive: true, force: true })
  })

  test.each([
    ['Node', 'node'],
    ['Bun', process.execPath],
  ])('runs on %s without anything beside it', (_name, runtime) => {
    const body = blockBody('whevt_1', 7, 1_000_000_000_001)
    const timestampS = Math.floor(Date.now() / 1000)
    const headers = signedHeaders({ body, id: 'whevt_1', timestampS })
    const request = JSON.stringify({ body, headers })
    expect(run([runtime, 'app.js', SIGNING_KEY, request], app)).toBe('taken repeat refused')
  })

  test('has nothing of the tests, and no folder of data', () => {
    const home = join(app, 'node_modules/headgate')
    const files = [...new Bun.Glob('**/*').scanSync({ cwd: home, dot: true })]
    const own = files.filter((path) => !path.startsWith('node_modules/@headgate/client/'))
    expect(own.filter((path) => /\.test\.|^tests|^data|node_modules/.test(path))).toEqual([])
    expect(files.filter((path) => path.includes('.test.'))).toEqual([])
    expect(files).toContain('LICENSE')
  })

  test('has the program beside it, with the client that it asks a Headgate with', () => {
    const beside = Object.keys(packageJson.dependencies).filter((name) => !/client$/.test(name))
    for (const name of beside) {
      const place = join(app, 'node_modules', name)
      mkdirSync(dirname(place), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules', name), place)
    }
    const program = ['node', 'node_modules/headgate/bin/headgate.cjs']
    expect(run([...program, '--version'], app)).toBe(packageJson.version)
    const made = `const { createClient } = await import('@headgate/client')
      console.log(typeof createClient({ url: 'http://localhost', token: 't' }).call)`
    const home = join(app, 'node_modules/headgate/src')
    expect(run([process.execPath, '-e', made], home)).toBe('function')
  })

  test(
    'has types that an app compiles with, under the strictest settings',
    () => {
      const flags = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --types '
      expect(run([TSC, ...flags.split(' '), 'app.ts'], app)).toBe('')
    },
    BUILD_MS_MAX,
  )
})

describe('an installation of the checkout', () => {
  test(
    'builds it for Node',
    () => {
      const copy = copyOfCheckout()
      run(['npm', 'run', 'prepare'], copy)
      const script =
        "import { openReceiver } from 'headgate/receiver'; console.log(typeof openReceiver)"
      expect(run(['node', '--input-type=module', '--eval', script], copy)).toBe('function')
      expect(readdirSync(join(copy, 'dist')).toSorted()).toEqual([
        'dashboard.bundle',
        'docs.bundle',
        'receiver',
      ])
      rmSync(copy, { recursive: true })
    },
    BUILD_MS_MAX,
  )

  test(
    'does without it where the compiler was left out',
    () => {
      const lean = mkdtempSync(join(tmpdir(), 'receiver-lean-'))
      cpSync(join(ROOT, 'package.json'), join(lean, 'package.json'))
      const { exitCode } = Bun.spawnSync(['npm', 'run', 'prepare'], { cwd: lean })
      expect(exitCode).toBe(0)
      expect(readdirSync(lean)).toEqual(['package.json'])
      rmSync(lean, { recursive: true })
    },
    BUILD_MS_MAX,
  )
})

test('the example for Bun takes a delivery, drops its repeat and refuses a forgery', async () => {
  const example = Bun.spawn([process.execPath, 'examples/receivers/bun.ts'], {
    cwd: ROOT,
    env: { ...process.env, SIGNING_KEY, PORT: '0' },
    stdout: 'pipe',
  })
  try {
    const url = await firstUrl(example.stdout)
    const body = blockBody('whevt_1', 7, 1_000_000_000_001)
    const timestampS = Math.floor(Date.now() / 1000)
    const headers = signedHeaders({ body, id: 'whevt_1', timestampS })
    const send = async (text: string) => {
      const answer = await fetch(url, { method: 'POST', headers, body: text })
      return `${answer.status} ${await answer.text()}`
    }
    expect(await send(body)).toBe('200 taken')
    expect(await send(body)).toBe('200 repeat')
    expect(await send(`${body} `)).toBe('401 refused')
  } finally {
    example.kill()
    await example.exited
  }
})

/** A checkout to build in: other tests serve the pages that were built in this one. */
function copyOfCheckout(): string {
  const copy = mkdtempSync(join(tmpdir(), 'receiver-checkout-'))
  const isBuilt = (path: string) => /\/(?:dist|node_modules|data|\.git)$/.test(path)
  cpSync(ROOT, copy, { recursive: true, filter: (path) => !isBuilt(path) })
  const packages = join(ROOT, 'node_modules')
  mkdirSync(join(copy, 'node_modules/@headgate'), { recursive: true })
  for (const name of readdirSync(packages).filter((one) => one !== '@headgate')) {
    symlinkSync(join(packages, name), join(copy, 'node_modules', name))
  }
  for (const name of ['client', 'devnet']) {
    symlinkSync(join('../../packages', name), join(copy, 'node_modules/@headgate', name))
  }
  return copy
}

async function firstUrl(output: ReadableStream<Uint8Array>): Promise<string> {
  let said = ''
  for await (const piece of output) {
    said += new TextDecoder().decode(piece)
    const [url] = said.match(/http:\S+(?=\n)/) ?? []
    if (url) return url
  }
  throw new Error(`the example ended and said: ${said}`)
}

/** The output of a command, errors included. */
function run(command: string[], cwd: string): string {
  const { stdout, stderr } = Bun.spawnSync(command, { cwd })
  return `${stdout}${stderr}`.trim()
}
