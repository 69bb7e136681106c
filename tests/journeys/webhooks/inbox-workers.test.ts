import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

setDefaultTimeout(60_000)

const MIB = 1_048_576

describe.skipIf(process.platform !== 'linux')('inboxes behind gateway workers', () => {
  let headgate: TestHeadgate
  let local: ReturnType<typeof localInbox>

  beforeAll(async () => {
    headgate = await startHeadgate({
      env: { HEADGATE_DEVNET_BLOCK_TIME_MS: '600000', HEADGATE_GATEWAY_WORKERS: '2' },
    })
    local = localInbox(headgate)
  })
  afterAll(() => headgate.stop())

  test('receive deliveries with their signatures', async () => {
    await local.createWebhook('worked')
    const { head } = await local.mine()
    const arrived = await local.arrival(
      'worked',
      (one) => one.block_number === head.number,
      'the block is delivered',
    )
    expect(arrived).toMatchObject({ signature: 'valid', status_answered: 200 })
  })

  test('take as much as a delivery has, byte for byte, and no more', async () => {
    const odd = new Uint8Array([0xff, 0x00, 0x80])
    expect((await local.post('bytes', odd)).status).toBe(200)
    expect((await local.page('bytes')).data[0]?.bytes).toBe(3)
    expect((await local.post('bytes', new Uint8Array(11 * MIB))).status).toBe(200)
    expect((await local.post('bytes', new Uint8Array(13 * MIB))).status).toBe(413)
    expect((await local.post('Bytes', '{}')).status).toBe(404)
    expect((await fetch(`${headgate.url}/inbox/bytes`)).status).toBe(405)
  })

  test('hang until the sender gives up', async () => {
    await local.set('held', { behaviour: 'hang' })
    const sender = new AbortController()
    const sent = fetch(`${headgate.url}/inbox/held`, {
      method: 'POST',
      body: '{}',
      signal: sender.signal,
    })
    const heldNow = async () => (await local.page('held')).inbox.held
    await until(async () => (await heldNow()) === 1, 'the sender waits')
    sender.abort()
    await expect(sent).rejects.toThrow()
    await until(async () => (await heldNow()) === 0, 'nobody waits any more')
    expect((await local.page('held')).data[0]?.status_answered).toBeNull()
  })
})
