import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { headgateProgram } from '../../../src/cli/program.ts'
import {
  cleanUp,
  type HeadgateProcess,
  newFolder,
  startProcess,
} from '../../support/product/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const PROGRAM = await headgateProgram()

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const DOCUMENTS = [
  ...['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...[...new Bun.Glob('**/*.{md,json}').scanSync(join(ROOT, 'docs'))].map((name) =>
    join('docs', name),
  ),
]

const README = read('README.md')
const PACKAGE = JSON.parse(read('package.json')) as {
  version: string
  scripts: Record<string, string>
}

describe('the quick start of the README', () => {
  const commands = [...README.matchAll(/<!-- quick start -->\n```sh\n([\s\S]*?)```/g)]
    .flatMap((block) => (block[1] ?? '').trim().split('\n'))
    .flatMap((line) => (line.startsWith('curl') ? [line] : line.split(' && ')))
  let headgate: HeadgateProcess

  beforeAll(async () => {
    headgate = await startProcess({
      folder: newFolder(),
      env: { HEADGATE_LISTEN: '127.0.0.1:0' },
    })
  })

  afterAll(cleanUp)

  test('is made of commands that npm has', () => {
    expect(commands.length).toBeGreaterThan(3)
    for (const command of commands.filter((line) => line.startsWith('npm '))) {
      const [npm, script = '', dashes, ...words] = command.split(' ')
      expect(npm).toBe('npm')
      if (script !== 'ci') expect(PACKAGE.scripts[script]).toBeString()
      if (dashes !== undefined) expect(unknownIn(['start', ...words])).toEqual([])
    }
    for (const command of commands.filter((line) => line.startsWith('npx headgate '))) {
      expect(unknownIn(command.split(' ').slice(2))).toEqual([])
    }
  })

  test('has a first request, whose answer is the one that is shown', async () => {
    const [line = ''] = commands.filter((command) => command.startsWith('curl'))
    const [, path = '', body = ''] = /localhost:8080(\S+) .* -d '(.*)'$/.exec(line) ?? []
    const shown = /```json\n(.+)\n```/.exec(README)?.[1]
    const answer = await fetch(`${headgate.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await answer.text()).toBe(shown ?? '')
  })

  test('has a script with a webhook, which ends as it is shown to', async () => {
    const [line = ''] = commands.filter((command) => command.startsWith('npx bun '))
    const script = join(ROOT, line.replace('npx bun ', ''))
    const child = Bun.spawn([process.execPath, script], {
      env: { ...process.env, FIRST_RUN: join(headgate.folder, 'data', 'first-run.json') },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const said = await new Response(child.stdout).text()
    expect(await new Response(child.stderr).text()).toBe('')
    const shown = /```text\n(made wh_[\s\S]*?)\n```/.exec(README)?.[1] ?? ''
    expect(outline(said)).toEqual(outline(shown))
  })

  test('shows the beginning of what the terminal shows', () => {
    const shown = /```text\n(Headgate is up[\s\S]*?) {2}…\n```/.exec(README)?.[1] ?? ''
    expect(shown).not.toBe('')
    // A start that takes its time has written lines of its log before.
    const said = headgate.said().replace(/^(?:\{.*\}\n)*/, '')
    expect(masked(said)).toStartWith(masked(shown).trimEnd())
  })
})

test('the test command of the README is the one that CI runs, before the longer tests', () => {
  const command = /## Tests\n\n```sh\n(.+)\n```/.exec(README)?.[1]
  expect(command).toBe('npm ci && npm test')
  const ran = read('.ci/run').trimEnd().split('\n').at(-1)
  expect(ran).toBe(`${command} && npm run test:full`)
})

test('the changelog begins with the version of the package', () => {
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(PACKAGE.version)
})

test.each(DOCUMENTS)('every link of %s leads to a file, and to a heading in it', (name) => {
  const links = [...read(name).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((link) => link[1] ?? '')
  const broken = links.filter((link) => {
    const [path = '', heading] = link.split('#')
    const target = path === '' ? name : join(dirname(name), path)
    if (!existsSync(join(ROOT, target))) return true
    return heading !== undefined && !headingsOf(target).includes(heading)
  })
  expect(broken).toEqual([])
})

/** Words that no command, or not the one that they begin with, takes. */
function unknownIn([name = '', ...words]: readonly string[]): string[] {
  const command = PROGRAM.commands.find((one) => one.name() === name)
  return command?.parseOptions([...words]).unknown ?? [name]
}

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8')
}

function headingsOf(name: string): string[] {
  return [...read(name).matchAll(/^#+ (.+)$/gm)].map((heading) =>
    (heading[1] ?? '')
      .toLowerCase()
      .replace(/[^a-z0-9 _-]/g, '')
      .replaceAll(' ', '-'),
  )
}

/** The text that stays the same from run to run: the words before ids, numbers and hashes. */
function outline(text: string): string[] {
  const lines = text.trim().split('\n')
  return lines.map((line) => line.replace(/\d{13}.*|wh_\w+/, '…'))
}

/** Keys and ports differ from start to start. */
function masked(text: string): string {
  return text.replace(/\b[a-z0-9]{32}\b/g, 'KEY').replace(/localhost:\d+/g, 'HOST')
}
