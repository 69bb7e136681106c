import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeNode } from '../../support/nodes/fake-node.ts'
import { callProcess, configuredProcess } from '../../support/product/configured-process.ts'
import {
  configText,
  newFolder,
  runToEnd,
  startProcess,
  UPSTREAM_SECRETS,
  writeConfig,
} from '../../support/product/headgate-process.ts'
import { WORLD } from '../../support/product/world.ts'

const CHECK = { args: ['check'] }

const stage = configuredProcess()

describe('a check of the configuration', () => {
  test('says that a good file is good, writes nothing and exits with 0', async () => {
    const ended = await stage.run(CHECK)
    expect(ended).toEqual({ exitCode: 0, stdout: 'The configuration is good.\n', stderr: '' })
    expect(existsSync(join(stage.folder, 'data'))).toBe(false)
  })

  test('can be asked for with the start’s own option, too', async () => {
    const ended = await stage.run({ args: ['--check'] })
    expect(ended).toEqual({ exitCode: 0, stdout: 'The configuration is good.\n', stderr: '' })
  })

  test('answers scripts in JSON, and nothing else', async () => {
    const gone = startFakeNode('node-gone')
    gone.stop()
    stage.configure([stage.nodeA, gone])
    const json = { args: ['check', '--json'] }
    const good = await stage.run(json)
    expect({ ...good, stdout: JSON.parse(good.stdout) }).toEqual({
      exitCode: 0,
      stdout: {
        good: true,
        faults: [],
        unreached: [
          {
            where: 'headgate.yaml:10',
            network: 'ETH_MAINNET',
            upstream: 'node-gone',
            reason: 'unreachable',
          },
        ],
      },
      stderr: '',
    })
    stage.configure([stage.nodeA], 'trustProxy: perhaps\n')
    const bad = await stage.run(json)
    expect({ ...bad, stdout: JSON.parse(bad.stdout) }).toEqual({
      exitCode: 2,
      stdout: {
        good: false,
        faults: [{ where: 'headgate.yaml:11', message: 'trustProxy must be true or false' }],
        unreached: [],
      },
      stderr: '',
    })
  })

  test('says which upstreams could not be reached, which is no mistake of the file', async () => {
    const gone = startFakeNode('node-gone')
    gone.stop()
    const silent = startFakeNode('node-silent')
    silent.misbehave = () => new Promise(() => {})
    const refusing = startFakeNode('node-refusing')
    refusing.misbehave = () => new Response('', { status: 401 })
    stage.configure([stage.nodeA, gone, silent, refusing])
    const { exitCode, stdout, stderr } = await stage.run(CHECK)
    silent.stop()
    refusing.stop()
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'The configuration is good.\n' })
    expect(stderr.trim().split('\n')).toEqual([
      'headgate.yaml:10: upstream node-gone of ETH_MAINNET could not be reached (unreachable)',
      'headgate.yaml:11: upstream node-silent of ETH_MAINNET could not be reached (no answer in time)',
      'headgate.yaml:12: upstream node-refusing of ETH_MAINNET could not be reached (http_401)',
    ])
    expectNoSecret(stderr)
  })

  test('names the line of every mistake, exits with 2 and repeats no password', async () => {
    const wrong = configText([stage.nodeA], 'portt: 8080\ntrustProxy: perhaps\n')
    const more = wrong.replace('"http://', '"ftp://').replace('chainId: 1', 'chainId: one')
    writeConfig(stage.folder, more)
    const { exitCode, stdout, stderr } = await stage.run(CHECK)
    expect(exitCode).toBe(2)
    expect(stdout).toBe('')
    expect(stderr.trim().split('\n')).toEqual([
      'headgate.yaml:5: networks[0].chainId must be a whole number',
      expect.stringMatching(/^headgate\.yaml:11: portt is not an option/),
      'headgate.yaml:12: trustProxy must be true or false',
    ])
    expectNoSecret(stderr)
  })

  test('an address of the wrong sort is named by its line and not shown', async () => {
    writeConfig(stage.folder, configText([stage.nodeA]).replace('"http://', '"ftp://'))
    const { exitCode, stderr } = await stage.run(CHECK)
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'headgate.yaml:9: networks[0].upstreams[0].url must be an http or https address\n',
    )
  })

  test('an upstream on another chain is named by its line, by a start too', async () => {
    stage.nodeB.chainId = 5
    stage.configure([stage.nodeA, stage.nodeB])
    const said = 'headgate.yaml:10: upstream node-b of ETH_MAINNET is on chain 5, not 1\n'
    expect(await stage.run(CHECK)).toEqual({ exitCode: 2, stdout: '', stderr: said })
    const { exitCode, stderr } = await stage.run()
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: said })
  })

  test('a file that is not there is said to be missing', async () => {
    const args = ['check', '--config', 'headgate.yaml']
    const ended = await runToEnd({ folder: newFolder(), args })
    expect(ended.exitCode).toBe(2)
    expect(ended.stderr).toBe('headgate.yaml: the configuration file cannot be read (ENOENT)\n')
  })
})

test('a word of the command line that means nothing ends it with 2 and a hint', async () => {
  const { exitCode, stderr } = await runToEnd({ folder: newFolder(), args: ['--chekc'] })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: '--chekc is not an option; did you mean --check?\n',
  })
})

test('a password in a stray word of the command line is not repeated', async () => {
  const args = ['postgres://me:hunter2@db.example/headgate']
  const { exitCode, stdout, stderr } = await runToEnd({ folder: newFolder(), args })
  expect({ exitCode, stdout, stderr }).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'headgate has words that it does not know; values are given with --config <file>\n',
  })
})

test('the help fits a narrow terminal, without colours where nobody sees them', async () => {
  const { exitCode, stdout } = await runToEnd({ folder: newFolder(), args: ['--help'] })
  expect(exitCode).toBe(0)
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  expect(stdout).not.toContain('\u001b')
  for (const part of ['Commands:', 'Examples:', 'Exit codes:']) expect(stdout).toContain(part)
})

test('a variable that means nothing ends it with 2 and a hint', async () => {
  const env = { HEADGATE_LISTENN: '127.0.0.1:0' }
  const { exitCode, stderr } = await runToEnd({ folder: newFolder(), env })
  expect(exitCode).toBe(2)
  expect(stderr).toContain('did you mean HEADGATE_LISTEN?')
})

test('HEADGATE_CONFIG names the file, and other variables win over what it says', async () => {
  stage.configure([stage.nodeA], 'prices: { eth_getBalance: { cu: 1 } }\n')
  const headgate = await startProcess({
    folder: stage.folder,
    env: { HEADGATE_CONFIG: 'headgate.yaml', HEADGATE_PRICES_ETH_GET_BALANCE_CU: '7.25' },
  })
  const answer = await callProcess(headgate, 'eth_getBalance', ['0x0', 'latest'])
  expect(answer.headers.get('x-headgate-cu')).toBe('7.25')
  expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
})

describe('a machine that is not as it should be', () => {
  test('a port in use ends the start with 1 and a plain sentence', async () => {
    const taken = `127.0.0.1:${new URL(stage.nodeA.url).port}`
    const ended = await stage.run({ env: { HEADGATE_LISTEN: taken } })
    expect(ended.exitCode).toBe(1)
    const holder = existsSync('/proc/net/tcp') ? ` by bun (process ${process.pid})` : ''
    expect(ended.stderr).toStartWith(
      `${taken} is in use${holder}. Stop the program that has it, or choose another address with ` +
        'listen or HEADGATE_LISTEN, such as HEADGATE_LISTEN=127.0.0.1:',
    )
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  })

  test('a data folder that cannot be one ends the start with 1 and a plain sentence', async () => {
    writeFileSync(join(stage.folder, 'data'), 'a file')
    const { exitCode, stderr } = await stage.run()
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'The data folder ./data cannot be used (EEXIST): it must be a folder that this user ' +
        'can write to. Choose another with data or HEADGATE_DATA.\n',
    })
  })

  // A database that is none of ours: see process-database.
  test.skipIf(WORLD === 'postgres')('a store that is not one is left alone', async () => {
    const file = join(stage.folder, 'headgate.sqlite')
    writeFileSync(file, 'a diary, not a database'.repeat(100))
    // With a secret given, nothing but the store is wrong.
    const env = { HEADGATE_DATA: '.', HEADGATE_SECRET: 'ab'.repeat(32) }
    const { exitCode, stderr } = await stage.run({ env })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr:
        'The store headgate.sqlite cannot be used (SQLITE_NOTADB): it is damaged, or is none. ' +
        'Put it back from a backup, or choose another folder with data or HEADGATE_DATA.\n',
    })
    expect(await Bun.file(file).text()).toStartWith('a diary')
  })
})

function expectNoSecret(text: string): void {
  for (const secret of UPSTREAM_SECRETS) expect(text).not.toContain(secret)
}
