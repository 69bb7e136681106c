import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startFakeNode } from '../support/nodes/fake-node.ts'
import { startHeadgate, type TestHeadgate } from '../support/product/headgate.ts'

/** A busy machine takes a while to compile. */
setDefaultTimeout(180_000)

const ROOT = new URL('../..', import.meta.url).pathname
const PACKAGE = join(ROOT, 'packages/client')
const TSC = join(ROOT, 'node_modules/.bin/tsc')

const README = readFileSync(join(PACKAGE, 'README.md'), 'utf8')
const EXAMPLES = [...README.matchAll(/^## (.*)$[^#]*?```js\n([\s\S]*?)```/gm)]

/** The last line that each example prints. */
const SAID: Readonly<Record<string, string>> = {
  Calls: 'Wallet backend on ETH_MAINNET',
  Refusals: '404 NotFound This team has no app app_0000000000000000.',
  'Lists of many pages': '0 deliveries',
  Events: 'ETH_MAINNET has a block',
  'Changes that do not overwrite others': '412 PreconditionFailed',
}

const TYPED = `
import { type App, createClient } from '@headgate/client'
const client = createClient({ url: 'http://localhost', token: 't' })
export const name = async (): Promise<App['name']> =>
  (await client.call('getApp', { parameters: { id: 'a' } })).data.name
// @ts-expect-error An app's id is needed.
client.call('getApp')
// @ts-expect-error There is no such call.
client.call('getNothing')
`

describe('@headgate/client as it is published', () => {
  const node = startFakeNode('node-a')
  let headgate: TestHeadgate
  let app = ''

  beforeAll(async () => {
    app = mkdtempSync(join(tmpdir(), 'client-'))
    const home = join(app, 'node_modules/@headgate/client')
    mkdirSync(home, { recursive: true })
    // A copy: other tests read the package where it is.
    const copy = join(app, 'checkout/packages/client')
    const isSource = (path: string) => path !== join(PACKAGE, 'dist')
    cpSync(PACKAGE, copy, { recursive: true, filter: isSource })
    cpSync(join(ROOT, 'tsconfig.json'), join(app, 'checkout/tsconfig.json'))
    expect(run([TSC, '--project', copy], ROOT)).toBe('')
    run(['npm', 'pack', '--pack-destination', app], copy)
    const [tarball = ''] = readdirSync(app).filter((name) => name.endsWith('.tgz'))
    expect(run(['tar', '-xzf', join(app, tarball), '--strip-components=1'], home)).toBe('')
    writeFileSync(join(app, 'package.json'), '{"type":"module"}')
    headgate = await startHeadgate({ nodes: [node] })
  })

  afterAll(async () => {
    await headgate.stop()
    node.stop()
    rmSync(app, { recursive: true, force: true })
  })

  test('has an example of each thing that it does', () => {
    expect(EXAMPLES.map(([, title]) => title)).toEqual(Object.keys(SAID))
  })

  test.each(EXAMPLES.map(([, title = '', code = '']) => [title, code] as const))(
    'the example of “%s” runs on plain Node',
    async (title, code) => {
      const file = `${title.toLowerCase().replaceAll(' ', '-')}.mjs`
      writeFileSync(join(app, file), code)
      const env = { ...process.env, HEADGATE_URL: headgate.url, HEADGATE_TOKEN: headgate.teamToken }
      const ran = Bun.spawn(['node', file], { cwd: app, env, stderr: 'pipe' })
      const [said, complained] = [await new Response(ran.stdout).text(), await errorsOf(ran)]
      expect(complained).toBe('')
      expect(said.trim().split('\n').at(-1)).toBe(SAID[title])
    },
  )

  test('has no dependency, and nothing of the tests', () => {
    const home = join(app, 'node_modules/@headgate/client')
    const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
    expect(manifest.dependencies).toBeUndefined()
    const files = [...new Bun.Glob('**/*').scanSync({ cwd: home })]
    expect(files).toEqual(
      expect.arrayContaining(['README.md', 'dist/client.js', 'dist/client.d.ts']),
    )
    expect(files.filter((path) => /\.test\.|tsconfig/.test(path))).toEqual([])
  })

  test('has types that an app compiles with, under the strictest settings', () => {
    writeFileSync(join(app, 'app.ts'), TYPED)
    const flags = '--noEmit --strict --module nodenext --target es2022 --lib es2022,dom --types '
    expect(run([TSC, ...flags.split(' '), 'app.ts'], app)).toBe('')
  })

  test('can be bundled for a browser', async () => {
    writeFileSync(join(app, 'page.js'), "export { createClient } from '@headgate/client'")
    const built = await Bun.build({ entrypoints: [join(app, 'page.js')], target: 'browser' })
    const code = (await built.outputs[0]?.text()) ?? ''
    expect(code).toContain('/api/create-webhook')
    expect(code).not.toMatch(/\brequire\(|node:|\bprocess\.|\bBun\b/)
  })
})

async function errorsOf(ran: Bun.Subprocess<'ignore', 'pipe', 'pipe'>): Promise<string> {
  const text = await new Response(ran.stderr).text()
  return (await ran.exited) === 0 ? text : `${text} (exit ${ran.exitCode})`
}

/** The output of a command, errors included. */
function run(command: string[], cwd: string): string {
  const { stdout, stderr } = Bun.spawnSync(command, { cwd })
  return `${stdout}${stderr}`.trim()
}
