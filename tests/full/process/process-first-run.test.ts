// Runs on both stores.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { configuredProcess, stopProcess } from '../../support/product/configured-process.ts'
import { configText, type HeadgateProcess } from '../../support/product/headgate-process.ts'

const TOKEN = 'the-operators-own-token-of-32-chars'
const OTHER = 'another-token~of+the!operator#with$signs'

const stage = configuredProcess()

test('with a file too, the first start makes a team and an app with every network', async () => {
  const second = configText([stage.nodeA]).split('networks:\n')[1] ?? ''
  stage.configure([stage.nodeA], second.replace('ETH_MAINNET', 'ETH_OTHER'))
  const headgate = await stage.start()
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
  const first = await stage.start()
  await stopProcess(first)
  const second = await stage.start()
  expect(second.url).not.toBe(first.url)
  expect(second.keys).toEqual({ ...first.keys, url: second.url })
  const file = join(stage.folder, 'data', 'first-run.json')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a configured token is the operator’s, and is shown nowhere', async () => {
  const headgate = await stage.start({ HEADGATE_OPERATOR_TOKEN: TOKEN })
  expect(headgate.keys.operator_token).toBeNull()
  expect(await mayList(headgate, TOKEN)).toBe(true)
  expect(await mayList(headgate, OTHER)).toBe(false)
  await stopProcess(headgate)
  expect(headgate.said()).not.toContain(TOKEN)
  const data = join(stage.folder, 'data')
  for (const file of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
    const path = join(data, file)
    if (statSync(path).isFile()) expect(readFileSync(path, 'latin1')).not.toContain(TOKEN)
  }
})

test('another value replaces the token, and none leaves it as it is', async () => {
  const first = await stage.start()
  const made = first.keys.operator_token
  expect(await mayList(first, made)).toBe(true)
  await stopProcess(first)

  stage.configure([stage.nodeA], `operatorToken: ${TOKEN}\n`)
  const second = await stage.start()
  expect([await mayList(second, made), await mayList(second, TOKEN)]).toEqual([false, true])
  expect(second.keys).toEqual({ ...first.keys, url: second.url, operator_token: null as never })
  await stopProcess(second)

  const third = await stage.start({ HEADGATE_OPERATOR_TOKEN: OTHER })
  expect([await mayList(third, TOKEN), await mayList(third, OTHER)]).toEqual([false, true])
  await stopProcess(third)

  stage.configure([stage.nodeA])
  const fourth = await stage.start()
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
  const env = { HEADGATE_OPERATOR_TOKEN: token }
  const { exitCode, stderr } = await stage.run({ env })
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr:
      'HEADGATE_OPERATOR_TOKEN: operatorToken must be 32 to 200 printable characters without spaces\n',
  })
})

test('the token of a team is not made the operator’s', async () => {
  const first = await stage.start()
  await stopProcess(first)
  const env = { HEADGATE_OPERATOR_TOKEN: first.keys.team_token }
  const { exitCode, stderr } = await stage.run({ env })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('operatorToken is the token of a team')
  expect(stderr).not.toContain(first.keys.team_token)
})

/** Whether a token may do what only the operator's may. */
async function mayList({ url }: HeadgateProcess, token: string): Promise<boolean> {
  const answer = await fetch(`${url}/api/teams`, { headers: { 'x-service-token': token } })
  return answer.ok
}
