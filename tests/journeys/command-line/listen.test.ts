// Runs on both stores.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { verifyDelivery } from '../../../src/receiver/verify-delivery.ts'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { freePort } from '../../support/nodes/free-port.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

type Arrived = { path: string; id: string; webhook: string; sequence: number; isGood: boolean }

const MAIN = join(import.meta.dir, '..', '..', '..', 'src', 'main.ts')

const folder = mkdtempSync(join(tmpdir(), 'headgate-listen-'))
const listen = `127.0.0.1:${freePort()}`
const appPort = freePort()
const arrived: Arrived[] = []
const keys = new Map<string, string>()

let headgate: TestHeadgate
let app: ReturnType<typeof Bun.serve> | null = null
let child: Subprocess<'ignore', 'pipe', 'pipe'>
let said = ''
let noted = ''

setDefaultTimeout(180_000)

/** The chain stands still but for the blocks that a test mines. */
const start = () =>
  startHeadgate({
    dataFolder: folder,
    env: { HEADGATE_LISTEN: listen, HEADGATE_DEVNET_BLOCK_TIME_MS: '600000' },
  })

/** The app of a developer, which checks what it gets as the guide says. */
const startApp = () =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: appPort,
    async fetch(request) {
      const body = await request.bytes()
      const { webhookId } = JSON.parse(new TextDecoder().decode(body))
      const signingKeys = keys.get(webhookId) ?? ''
      const checked = await verifyDelivery({ body, headers: request.headers, signingKeys })
      const { delivery } = checked.ok ? checked : {}
      const sequence = delivery?.kind === 'data' ? Number(delivery.sequenceNumber) : 0
      const path = new URL(request.url).pathname
      arrived.push({
        path,
        id: delivery?.id ?? '',
        webhook: webhookId,
        sequence,
        isGood: checked.ok,
      })
      return new Response('thanks')
    },
  })

const lines = () =>
  said
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** Every delivery of the log has come to the app, each once. */
const hasAll = async () => {
  const answer = await headgate.api(
    'GET',
    '/api/deliveries?limit=1000',
    undefined,
    headgate.teamToken,
  )
  const logged: string[] = answer.json.data.map(({ id }: { id: string }) => id)
  return logged.length > 0 && logged.every((id) => arrived.some((one) => one.id === id))
}

async function collect(stream: ReadableStream<Uint8Array>, add: (text: string) => void) {
  const decoder = new TextDecoder()
  for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }))
}

beforeAll(async () => {
  headgate = await start()
  for (const name of ['one', 'two']) {
    const { id, signing_key } = await localInbox(headgate).createWebhook(name)
    keys.set(id, signing_key)
  }
  const forward = `http://localhost:${appPort}/hooks?from=here`
  child = Bun.spawn([process.execPath, MAIN, 'listen', '--forward', forward, '--json'], {
    env: { ...process.env, HEADGATE_URL: headgate.url, HEADGATE_TOKEN: headgate.teamToken },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  void collect(child.stdout, (text) => {
    said += text
  })
  void collect(child.stderr, (text) => {
    noted += text
  })
  await until(() => noted.includes('Forwarding deliveries of 2 webhooks'), 'it listens')
})

afterAll(async () => {
  child.kill('SIGKILL')
  await child.exited
  await app?.stop(true)
  await headgate.stop()
  rmSync(folder, { recursive: true, force: true })
})

describe('headgate listen', () => {
  test('tries an app that is down again, and hands over what a receiver takes', async () => {
    await localInbox(headgate).mine(2)
    await until(() => noted.includes('nobody listens there'), 'it says that the app is down')
    app = startApp()
    await until(hasAll, 'all deliveries are there')
    expect(arrived.map(({ path, isGood }) => [path, isGood])).toEqual(
      arrived.map(() => ['/hooks', true]),
    )
    await until(() => lines().length === 4, 'all are told')
    expect(lines()[0]).toMatchObject({ outcome: 'accepted', status_code: 200, rerun: false })
    expect(lines().some(({ tries }) => tries > 1)).toBe(true)
  })

  test('forwards the re-runs of a reorganisation, after what they replace', async () => {
    await localInbox(headgate).reorganise({ depth: 2 })
    await until(() => lines().filter(({ rerun }) => rerun).length === 4, 'the re-runs are told')
    await until(hasAll, 'all deliveries are there')
  })

  test('goes on after a restart of Headgate, without gaps and without repeats', async () => {
    await headgate.stop()
    await until(() => noted.includes('is lost'), 'it says that the stream is lost')
    headgate = await start()
    const local = localInbox(headgate)
    const before = arrived.length
    await local.mine(3)
    await until(() => noted.includes('there again'), 'it says that Headgate is back')
    await until(async () => arrived.length > before && (await hasAll()), 'all deliveries are there')
    const ids = arrived.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)])
    expect(arrived.every(({ isGood }) => isGood)).toBe(true)
    for (const webhook of keys.keys()) {
      const order = arrived.filter((one) => one.webhook === webhook).map((one) => one.sequence)
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
  })

  test('forwards a delivery that is sent again, and says how it went at the end', async () => {
    const [first] = arrived
    const path = `/api/deliveries/${first?.id}/resend`
    expect((await headgate.api('POST', path, undefined, headgate.teamToken)).status).toBe(200)
    await until(() => arrived.filter(({ id }) => id === first?.id).length === 2, 'it comes again')
    await until(() => lines().some(({ again }) => again), 'it is told')
    child.kill('SIGINT')
    expect(await child.exited).toBe(0)
    await until(() => lines().some(({ summary }) => summary), 'the summary is told')
    const { summary } = lines().at(-1)
    expect(summary).toMatchObject({ accepted: arrived.length, refused: 0, waiting: 0 })
  })
})
