import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { configText } from '../../../src/cli/init/config-text.ts'
import { writeConfig } from '../../../src/cli/init/write-config.ts'
import { until } from '../../support/basics/until.ts'
import { type FakeNode, startFakeNode } from '../../support/nodes/fake-node.ts'
import { cleanUp, newFolder, runToEnd } from '../../support/product/headgate-process.ts'

const MAIN = join(import.meta.dir, '..', '..', '..', 'src', 'main.ts')

const nodes: FakeNode[] = []
const asking: Subprocess[] = []

const aNode = (chainId: number) => {
  const node = startFakeNode()
  node.chainId = chainId
  nodes.push(node)
  return node
}

const init = (folder: string, ...words: string[]) => runToEnd({ folder, args: ['init', ...words] })

setDefaultTimeout(180_000)
afterEach(async () => {
  for (const node of nodes.splice(0)) node.stop()
  for (const child of asking.splice(0)) child.kill('SIGKILL')
  await cleanUp()
})

describe('headgate init', () => {
  test('asks a node for its chain and writes a file that a start takes, for its owner only', async () => {
    const folder = newFolder()
    const [sepolia, own] = [aNode(11_155_111), aNode(31_337)]
    const words = [
      '--upstream',
      sepolia.url,
      '--upstream',
      own.url,
      '--upstream',
      'alchemy://KEY-X',
    ]
    const more = ['--network', 'ETH_SEPOLIA', '--network', 'MY_CHAIN', '--listen', '127.0.0.1:0']
    const { exitCode, stdout, stderr } = await init(folder, ...words, ...more)
    expect(exitCode).toBe(0)
    expect(stdout).toContain('is on chain 11155111, ETH_SEPOLIA.')
    expect(stdout).toContain('headgate start --config headgate.yaml')

    const file = join(folder, 'headgate.yaml')
    const text = readFileSync(file, 'utf8')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(text).toContain(own.url)
    expect(text).toContain('alchemy://KEY-X')
    for (const secret of ['secret-path-of', 'KEY-X']) expect(stdout + stderr).not.toContain(secret)
    // The vendor is away, which is a warning and no fault.
    const checked = await runToEnd({ folder, args: ['check', '--config', 'headgate.yaml'] })
    expect(checked.stdout).toContain('The configuration is good.')
  })

  test('never writes over a file that is there, unless told to', async () => {
    const folder = newFolder()
    const file = join(folder, 'headgate.yaml')
    writeFileSync(file, 'mine')
    const words = ['--upstream', aNode(1).url, '--json']
    const refused = await init(folder, ...words)
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--force')])
    expect(readFileSync(file, 'utf8')).toBe('mine')

    const forced = await init(folder, ...words, '--force')
    expect(JSON.parse(forced.stdout)).toMatchObject({ networks: ['ETH_MAINNET'], is_secret: true })
    expect(readFileSync(file, 'utf8')).toContain('ETH_MAINNET')
  })

  test('says which flag is missing where nobody can be asked', async () => {
    const folder = newFolder()
    const { exitCode, stderr } = await init(folder)
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--upstream is missing')])
    expect(existsSync(join(folder, 'headgate.yaml'))).toBe(false)
  })
})

describe('headgate init in a terminal', () => {
  test('asks for what no flag says, and shows nothing of a key', async () => {
    const folder = newFolder()
    const terminal = openTerminal(folder)
    await terminal.answer('Your first upstream', 'alchemi://KEY-X\r')
    await terminal.answer('Did you mean alchemy', '\x7f'.repeat(15))
    await terminal.answer('Your first upstream', 'alchemy://KEY-X\r')
    await terminal.answer('Another upstream', '\r')
    await terminal.answer('Which networks', ' \r')
    expect(await terminal.exited).toBe(0)
    const text = readFileSync(join(folder, 'headgate.yaml'), 'utf8')
    expect(text).toContain('alchemy://KEY-X')
    expect(text).toContain('id: ETH_MAINNET')
    expect(terminal.shown()).toContain('headgate start --config headgate.yaml')
    expect(terminal.shown()).not.toContain('KEY-X')
  })

  test('writes nothing when the person has had enough', async () => {
    const folder = newFolder()
    const terminal = openTerminal(folder)
    await terminal.answer('Your first upstream', '\x03')
    expect(await terminal.exited).toBe(1)
    expect(terminal.shown()).toContain('Nothing was written.')
    expect(existsSync(join(folder, 'headgate.yaml'))).toBe(false)
  })
})

/** The questions in a real terminal; all but those of upstreams and networks have their flag. */
function openTerminal(folder: string) {
  const more = ['--listen', '127.0.0.1:0', '--data', './data', '--workers', '1']
  const others = ['--public-url', 'http://localhost', '--database', 'sqlite']
  let shown = ''
  const decoder = new TextDecoder()
  const child = Bun.spawn([process.execPath, MAIN, 'init', ...more, ...others], {
    cwd: folder,
    env: { ...process.env, TERM: 'xterm' },
    terminal: {
      cols: 80,
      rows: 40,
      data(_, bytes) {
        shown += decoder.decode(bytes, { stream: true })
      },
    },
  })
  asking.push(child)
  return {
    exited: child.exited,
    shown: () => shown,
    async answer(question: string, typed: string) {
      await until(() => shown.includes(question), question)
      child.terminal?.write(typed)
    },
  }
}

describe('the file of headgate init', () => {
  const answers = {
    listen: '[::1]:8080',
    publicUrl: 'https://rpc.example.com',
    data: './data',
    workers: '2',
    database: null,
    vendors: [],
    networks: [
      { id: 'MY_CHAIN', chain: { kind: 'evm' as const, chainId: 7, known: null }, nodes: [] },
    ],
  }
  const written = (changes: object) => {
    const nodes = [{ name: 'node-1', url: 'http://10.0.0.5:8545', chain: null }]
    const networks = answers.networks.map((network) => ({ ...network, nodes }))
    const file = join(newFolder(), 'headgate.yaml')
    const text = configText({ ...answers, networks, ...changes })
    return { file, ...writeConfig(file, text, { isSecret: false, force: false }) }
  }

  test.each(['a: b # c', 'true', '"', "'", '\n- x', '{{', '!!js', '*x', '&x', '…'])(
    'holds a folder named %j as it is',
    (data) => {
      const outcome = written({ data })
      expect(outcome).toHaveProperty('settings.data', data)
    },
  )

  test('is not left behind when it is wrong', () => {
    const outcome = written({ listen: 'nowhere' })
    expect(outcome).toHaveProperty('fault', expect.stringContaining('listen must be host:port'))
    expect(existsSync(outcome.file)).toBe(false)
  })
})
