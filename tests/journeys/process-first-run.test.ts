import { afterAll, afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { startFakeNode } from '../support/fake-node.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  runToEnd,
  startProcess,
  writeConfig,
} from '../support/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(30_000)

const ARGS = ['--config', 'headgate.yaml']
const TOKEN = 'the-operators-own-token-of-32-chars'
const OTHER = 'another-token~of+the!operator#with$signs'

const node = startFakeNode('node-a')

afterEach(cleanUp)
afterAll(() => node.stop())

test('with a file too, the first start makes a team and an app with every network', async () => {
  const folder = newFolder()
  const second = configText([node]).split('networks:\n')[1] ?? ''
  const both = configText([node], second.replace('ETH_MAINNET', 'ETH_OTHER'))
  writeConfig(folder, both)
  const headgate = await startProcess({ folder, args: ARGS })
  for (const slug of ['eth-mainnet', 'eth-other']) {
    const answer = await fetch(`${headgate.url}/${slug}/v2/${headgate.keys.app_key}`, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
    })
    expect(await answer.json()).toMatchObject({ result: '0x1' })
  }
  const team = await fetch(`${headgate.url}/api/team`, {
    headers: { 'x-service-token': headgate.keys.team_token },
  })
  expect(await team.json()).toMatchObject({ data: { name: 'Default', tier: 'enterprise' } })
})

test('the address in first-run.json is that of the last start, and nothing else changes', async () => {
  const folder = newFolder()
  writeConfig(folder, configText([node]))
  const first = await startProcess({ folder, args: ARGS })
  await stopped(first)
  const second = await startProcess({ folder, args: ARGS })
  expect(second.url).not.toBe(first.url)
  expect(second.keys).toEqual({ ...first.keys, url: second.url })
  const file = join(folder, 'data', 'first-run.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a configured token is the operator’s, and is shown nowhere', async () => {
  const folder = newFolder()
  writeConfig(folder, configText([node]))
  const headgate = await start(folder, { HEADGATE_OPERATOR_TOKEN: TOKEN })
  expect(headgate.keys.operator_token).toBeNull()
  expect(await mayList(headgate, TOKEN)).toBe(true)
  expect(await mayList(headgate, OTHER)).toBe(false)
  await stopped(headgate)
  expect(headgate.said()).not.toContain(TOKEN)
  for (const file of readdirSync(join(folder, 'data'), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, 'data', file)
    if (statSync(path).isFile()) expect(readFileSync(path, 'latin1')).not.toContain(TOKEN)
  }
})

test('another value replaces the token, and none leaves it as it is', async () => {
  const folder = newFolder()
  writeConfig(folder, configText([node]))
  const first = await startProcess({ folder, args: ARGS })
  const made = first.keys.operator_token
  expect(await mayList(first, made)).toBe(true)
  await stopped(first)

  writeConfig(folder, configText([node], `operatorToken: ${TOKEN}\n`))
  const second = await startProcess({ folder, args: ARGS })
  expect([await mayList(second, made), await mayList(second, TOKEN)]).toEqual([false, true])
  expect(second.keys).toEqual({ ...first.keys, url: second.url, operator_token: null as never })
  await stopped(second)

  const third = await start(folder, { HEADGATE_OPERATOR_TOKEN: OTHER })
  expect([await mayList(third, TOKEN), await mayList(third, OTHER)]).toEqual([false, true])
  await stopped(third)

  writeConfig(folder, configText([node]))
  const fourth = await startProcess({ folder, args: ARGS })
  expect(await mayList(fourth, OTHER)).toBe(true)
  const team = await fetch(`${fourth.url}/api/team`, {
    headers: { 'x-service-token': first.keys.team_token },
  })
  expect(team.status).toBe(200)
})

test.each([
  ['short', 'x'.repeat(31)],
  ['long', 'x'.repeat(201)],
  ['with a space', `${'x'.repeat(32)} y`],
  ['with a line break', `${'x'.repeat(32)}\ny`],
])('a token that is %s ends the start with 2 and is not repeated', async (_how, token) => {
  const folder = newFolder()
  writeConfig(folder, configText([node]))
  const env = { HEADGATE_OPERATOR_TOKEN: token }
  const { exitCode, stderr } = await runToEnd({ folder, args: ARGS, env })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr:
      'HEADGATE_OPERATOR_TOKEN: operatorToken must be 32 to 200 printable characters without spaces\n',
  })
})

test('the token of a team is not made the operator’s', async () => {
  const folder = newFolder()
  writeConfig(folder, configText([node]))
  const first = await startProcess({ folder, args: ARGS })
  await stopped(first)
  const env = { HEADGATE_OPERATOR_TOKEN: first.keys.team_token }
  const { exitCode, stderr } = await runToEnd({ folder, args: ARGS, env })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('operatorToken is the token of a team')
  expect(stderr).not.toContain(first.keys.team_token)
})

function start(folder: string, env: Record<string, string>): Promise<HeadgateProcess> {
  return startProcess({ folder, args: ARGS, env })
}

async function stopped(headgate: HeadgateProcess): Promise<void> {
  headgate.signal('SIGTERM')
  await headgate.exited
}

/** Whether a token may do what only the operator's may. */
async function mayList({ url }: HeadgateProcess, token: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/teams`, { headers: { 'x-service-token': token } })
  return answer.ok
}
