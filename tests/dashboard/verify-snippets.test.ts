import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERIFY_SNIPPETS } from '../../dashboard/pages/webhook/keys/verify-snippets.ts'
import { dataBody } from '../../src/core/delivery/envelope.ts'
import { deliveryHeaders } from '../../src/core/delivery/signature.ts'
import { until } from '../support/basics/until.ts'
import { freePort } from '../support/nodes/free-port.ts'

/** A program has to start first. */
setDefaultTimeout(60_000)

const RECEIVER = new URL('../../src/receiver/receiver.ts', import.meta.url).pathname
const KEY = 'whsec_4t7y1u9i3o6p2a8s5d0f4g7h'
const OTHER_KEY = 'whsec_000000000000000000000000'
const ID = 'whevt_5q8w2e7r4t1y9u3i'

const BODY = dataBody(
  {
    webhookId: 'wh_9c5v2b8n4m1k7j3h',
    deliveryId: ID,
    createdAtMs: 1_763_164_800_000,
    network: 'ETH_MAINNET',
    sequenceNumber: 1_000_000_000_042,
    truncation: null,
  },
  '{"block":{"number":23800000}}',
)

describe('a snippet that checks a delivery', () => {
  test('in TypeScript takes one of ours, and refuses another', async () => {
    const port = freePort()
    const program = snippet('TypeScript')
      .replace("'headgate/receiver'", JSON.stringify(RECEIVER))
      .replace('port: 3000', `hostname: '127.0.0.1', port: ${port}`)
    await withFile('receiver.ts', program, async (path) => {
      const env = { ...process.env, SIGNING_KEY: KEY }
      const child = Bun.spawn([process.execPath, path], { env, stdout: 'ignore', stderr: 'ignore' })
      const post = (key: string) =>
        fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: BODY, headers: headersOf(key) })
      const answered = () => post(OTHER_KEY).catch(() => null)
      await until(async () => (await answered())?.status === 401, 'it refuses what is not ours')
      expect(await (await post(KEY)).text()).toBe('taken')
      child.kill()
      await child.exited
    })
  })

  test.skipIf(!Bun.which('python3'))(
    'in Python takes one of ours, and refuses another',
    async () => {
      const program = `${snippet('Python')}
headers = {"x-service-signature": "${headersOf(KEY)['x-service-signature']}"}
body = open("body.json", "rb").read()
print(is_ours(body, headers), is_ours(body + b" ", headers))
`
      expect(await outputOf(['python3', '-c', program])).toBe('True False')
    },
  )

  test.skipIf(!Bun.which('openssl'))('with openssl prints the signature', async () => {
    const printed = await outputOf(['sh', '-c', snippet('openssl')])
    expect(printed).toEndWith(headersOf(KEY)['x-service-signature'] ?? 'none')
  })
})

function snippet(name: string): string {
  return VERIFY_SNIPPETS.find((one) => one.name === name)?.text ?? ''
}

function headersOf(key: string): Record<string, string> {
  return deliveryHeaders({
    keys: [key],
    deliveryId: ID,
    timestampS: Math.floor(Date.now() / 1000),
    body: BODY,
    previousSequence: null,
    replay: false,
  })
}

/** The output of a program that finds the body in the folder it runs in. */
function outputOf(command: string[]): Promise<string> {
  return withFile('body.json', BODY, async (path) => {
    const cwd = join(path, '..')
    const env = { ...process.env, SIGNING_KEY: KEY }
    const child = Bun.spawn(command, { cwd, env, stdout: 'pipe', stderr: 'inherit' })
    return (await new Response(child.stdout).text()).trim()
  })
}

async function withFile<T>(name: string, text: string, use: (path: string) => Promise<T>) {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-'))
  const path = join(folder, name)
  writeFileSync(path, text)
  try {
    return await use(path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
