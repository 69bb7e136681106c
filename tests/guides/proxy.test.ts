import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeAuthority } from '../support/basics/certificates.ts'
import { until } from '../support/basics/until.ts'
import { type ChainNode, startChainNode } from '../support/nodes/chain-node.ts'
import { freePort } from '../support/nodes/free-port.ts'
import {
  cleanUp,
  configText,
  type HeadgateProcess,
  newFolder,
  startProcess,
  writeConfig,
} from '../support/product/headgate-process.ts'

/** A process starts in a fraction of a second, unless the machine is busy with others. */
setDefaultTimeout(180_000)

const GUIDE = readFileSync(new URL('../../docs/guides/production.md', import.meta.url), 'utf8')

const nginx = Bun.which('nginx', { PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` })

/** Set by a run that has tried to fetch it and could not, which it says. */
const isSaidToBeAbsent = process.env.HEADGATE_TEST_NGINX === 'absent'
const isMissing = nginx === null && (isSaidToBeAbsent || !process.env.CI)
if (isMissing) console.warn('The proxy of the guide is not run: there is no nginx.')

describe.skipIf(isMissing)('the proxy of "Run it in production"', () => {
  const authority = makeAuthority('a test')
  const tls = { ca: authority.cert }
  let node: ChainNode
  let headgate: HeadgateProcess
  let proxy: { url: string; stop(): Promise<void> }

  beforeAll(async () => {
    node = startChainNode(7)
    const folder = newFolder()
    writeConfig(folder, configText([node], 'trustProxy: true\n'))
    headgate = await startProcess({ folder, args: ['--config', 'headgate.yaml'] })
    const { cert, key } = authority.issue(['localhost'])
    proxy = await startNginx(newFolder(), { cert, key, to: headgate.url })
  })
  afterAll(async () => {
    await proxy?.stop()
    await cleanUp()
    node.stop()
  })

  test('passes calls on, by TLS', async () => {
    const answer = await fetch(`${proxy.url}/eth-mainnet/v2/${headgate.keys.app_key}`, {
      method: 'POST',
      body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
      tls,
    })
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: '0x1' })
  })

  test('passes WebSocket on', async () => {
    const url = `${proxy.url.replace('http', 'ws')}/eth-mainnet/v2/${headgate.keys.app_key}`
    const socket = new WebSocket(url, { tls })
    const heard: string[] = []
    socket.onmessage = ({ data }) => void heard.push(`${data}`)
    socket.onopen = () =>
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
    await until(() => heard.length === 1, 'the subscription is there')
    node.mine()
    await until(() => heard.some((text) => text.includes('eth_subscription')), 'a head comes')
    socket.close()
  })

  test('does not hold events back', async () => {
    const answer = await fetch(`${proxy.url}/api/events?topics=heads`, {
      headers: { 'x-service-token': headgate.keys.team_token },
      tls,
    })
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
    let said = ''
    while (!said.includes('event: head'))
      said += new TextDecoder().decode((await reader.read()).value)
    expect(said).toContain('"network":"ETH_MAINNET"')
    await reader.cancel()
  })

  test('tells the address that a browser has asked, so that the cookie is for TLS alone', async () => {
    const answer = await fetch(`${proxy.url}/api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: proxy.url },
      body: JSON.stringify({ token: headgate.keys.team_token }),
      tls,
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toContain('; Secure')
  })
})

type Behind = { cert: string; key: string; to: string }

/** Starts nginx with the file of the guide, at another port and with another certificate. */
async function startNginx(folder: string, { cert, key, to }: Behind) {
  const port = freePort()
  const [, text = ''] = /```nginx\n([\s\S]*?)```/.exec(GUIDE) ?? []
  const site = text
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:8080', new URL(to).host.replace('localhost', '127.0.0.1'))
    .replace('/etc/ssl/rpc.example.com/fullchain.pem', join(folder, 'cert.pem'))
    .replace('/etc/ssl/rpc.example.com/privkey.pem', join(folder, 'key.pem'))
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key)
  writeFileSync(join(folder, 'headgate.conf'), site)
  writeFileSync(join(folder, 'nginx.conf'), aroundIt(folder))
  mkdirSync(join(folder, 'logs'))
  const command = [nginx ?? 'nginx', '-p', folder, '-c', join(folder, 'nginx.conf')]
  const checked = Bun.spawnSync([...command, '-t'])
  if (checked.exitCode !== 0) throw new Error(`${checked.stderr}`)
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' })
  const url = `https://localhost:${port}`
  const isUp = () =>
    fetch(`${url}/healthz`, { tls: { rejectUnauthorized: false } }).then(({ ok }) => ok)
  await until(() => isUp().catch(() => false), 'nginx passes calls on')
  const stop = async () => {
    child.kill()
    await child.exited
  }
  return { url, stop }
}

/** What a distribution has around the files of sites, for one process without rights. */
function aroundIt(folder: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = folders.map((name) => `${name}_temp_path ${join(folder, name)};`)
  return `daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')};
events {}
http {
  access_log off;
  ${temporary.join('\n  ')}
  include ${join(folder, 'headgate.conf')};
}
`
}
