// Runs on both stores.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../support/product/headgate.ts'
import { cleanUp, newFolder, startProcess } from '../../support/product/headgate-process.ts'
import { WORLD } from '../../support/product/world.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const LOCAL = { HEADGATE_LISTEN: '127.0.0.1:0', HEADGATE_DEVNET_BLOCK_TIME_MS: '200' }

afterEach(cleanUp)

test.skipIf(Bun.which('curl') === null && !process.env.CI)(
  'from an empty folder, the lines that are printed work when pasted',
  async () => {
    const headgate = await startProcess({ folder: newFolder(), env: LOCAL })
    const lines = [...headgate.said().matchAll(/^ {2}(curl .+)$/gm)].map((line) => line[1] ?? '')
    expect(lines).toHaveLength(3)

    const answers = await Promise.all(lines.map(pasted))
    const quantity = expect.stringMatching(/^0x[0-9a-f]+$/)
    expect(answers[0]).toEqual({ jsonrpc: '2.0', id: 1, result: quantity })
    expect(answers[1]).toEqual({ jsonrpc: '2.0', id: 1, result: expect.any(Number) })
    expect(answers[2]).toMatchObject({ data: { id: expect.stringMatching(/^wh_/) } })
    const inbox = /^ {2}inbox +(http\S+)$/m.exec(headgate.said())?.[1] ?? ''
    const headers = { 'x-service-token': headgate.keys.team_token }
    const upstreams = [{ name: 'devnet', state: 'used' }]
    expect(await (await fetch(`${headgate.url}/api/networks`, { headers })).json()).toMatchObject({
      data: [
        { id: 'ETH_DEVNET', upstreams },
        { id: 'SOLANA_DEVNET', upstreams },
      ],
    })
    const shown = inbox.replace('/inbox/', '/api/inboxes/')
    const arrived = async () => {
      const answer = await fetch(shown, { headers })
      const { data } = (await answer.json()) as { data: { signature: string }[] }
      return data.length > 0 && data.every(({ signature }) => signature === 'valid')
    }
    await until(arrived, 'the webhook that was pasted arrives in the inbox')
  },
)

test('the first start leaves keys only the owner can read, and a second start keeps them', async () => {
  const folder = newFolder()
  const first = await startProcess({ folder, env: LOCAL })
  const file = join(folder, 'data', 'first-run.json')
  const secret = expect.stringMatching(/^[a-z0-9]{32}$/)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    url: first.url,
    operator_token: secret,
    team_token: secret,
    app_key: secret,
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // On PostgreSQL the secret is configured, and stands in no file of ours.
  const secretFile = statSync(join(folder, 'data', 'instance-secret'), { throwIfNoEntry: false })
  expect(secretFile && secretFile.mode & 0o777).toBe(WORLD === 'postgres' ? undefined : 0o600)
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
  first.signal('SIGINT')
  expect(await first.exited).toBe(0)

  const second = await startProcess({ folder, env: LOCAL })
  expect(second.keys).toEqual({ ...first.keys, url: second.url })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(second.said()).toContain(first.keys.app_key)
  expect(await heightAt(second.url, first.keys.app_key)).toBeGreaterThanOrEqual(0)
  const apps = await fetch(`${second.url}/api/apps`, {
    headers: { 'x-service-token': first.keys.team_token },
  })
  expect(await apps.json()).toMatchObject({ data: [{ key: first.keys.app_key }] })
})

test('a service that npm started stops with npm, and leaves nothing behind', async () => {
  const headgate = await startProcess({ folder: newFolder(), env: LOCAL, viaNpm: true })
  headgate.signal('SIGTERM')
  expect(await headgate.exited).toBe(0)
  await expect(fetch(`${headgate.url}/healthz`)).rejects.toThrow()
})

test.skipIf(!existsSync('/proc/self/stat') && !process.env.CI)(
  'the development chains end with the process, even when that is killed',
  async () => {
    const headgate = await startProcess({ folder: newFolder(), env: LOCAL })
    const chains = childrenOf(headgate.pid)
    expect(chains).toHaveLength(2)
    headgate.signal('SIGKILL')
    await headgate.exited
    await until(() => !chains.some(isAlive), 'the chains have ended')
  },
)

async function pasted(line: string): Promise<unknown> {
  const shell = Bun.spawn(['sh', '-c', line], { stdout: 'pipe', stderr: 'pipe' })
  const text = await new Response(shell.stdout).text()
  expect(await shell.exited).toBe(0)
  return JSON.parse(text)
}

async function heightAt(url: string, key: string): Promise<number> {
  const answer = await fetch(`${url}/eth-devnet/v2/${key}`, {
    method: 'POST',
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
  })
  return Number(((await answer.json()) as { result: string }).result)
}

function childrenOf(pid: number): number[] {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return all.map(Number).filter((one) => statOf(one)?.parent === pid)
}

/** One that has ended may stay listed until its new parent has looked at it. */
function isAlive(pid: number): boolean {
  const stat = statOf(pid)
  return stat !== null && stat.state !== 'Z'
}

function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state = '', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state, parent: Number(parent) }
  } catch {
    return null
  }
}
