import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { localInbox } from '../../support/deliveries/local-inbox.ts'
import { blockBody, signedHeaders } from '../../support/deliveries/signed-delivery.ts'
import { sendRaw } from '../../support/nodes/raw-http.ts'
import { startHeadgate, type TestHeadgate, until } from '../../support/product/headgate.ts'

/** Some seconds of real blocks and deliveries, or more where the machine is busy with others. */
setDefaultTimeout(30_000)

const MIB = 1_048_576

let headgate: TestHeadgate
let local: ReturnType<typeof localInbox>

beforeAll(async () => {
  headgate = await startHeadgate({
    env: {
      HEADGATE_DEVNET_BLOCK_TIME_MS: '600000',
      HEADGATE_WEBHOOKS_RETRY_DELAYS_MS: '200,500,1000,2000,2000,2000',
      HEADGATE_WEBHOOKS_TIMEOUT_MS: '500',
    },
  })
  local = localInbox(headgate)
})
afterAll(() => headgate.stop())

describe('an inbox that is told how to answer', () => {
  test('fails, and gets the delivery again once it accepts', async () => {
    await local.createWebhook('failing')
    const set = await local.set('failing', { behaviour: 'fail', status: 503 })
    expect(set).toMatchObject({ behaviour: 'fail', status: 503, arrivals: 0 })
    await local.mine()
    const failed = await local.arrival('failing', () => true, 'it has arrived')
    expect(failed).toMatchObject({ status_answered: 503, is_repeat: false, attempt: 1 })
    await local.set('failing', { behaviour: 'accept' })
    const accepted = await local.arrival(
      'failing',
      (one) => one.status_answered === 200,
      'it is accepted',
    )
    expect(accepted).toMatchObject({ is_repeat: true, is_rerun: false, signature: 'valid' })
    expect(accepted.delivery_id).toBe(failed.delivery_id)
    expect(accepted.attempt).toBeGreaterThan(1)
    await untilDelivered(accepted.delivery_id)
  })

  test('is gone, which pauses the webhook', async () => {
    const { id } = await local.createWebhook('leaving')
    await local.set('leaving', { behaviour: 'gone' })
    await local.mine()
    const last = await local.arrival('leaving', () => true, 'it has arrived')
    expect(last.status_answered).toBe(410)
    await until(async () => {
      const webhook = (await local.webhook(id)) as { deactivation_reason?: string } | undefined
      return webhook?.deactivation_reason === 'DESTINATION_GONE'
    }, 'the webhook is paused')
  })

  test('hangs until the sender gives up, which counts as a timeout', async () => {
    await local.createWebhook('hanging')
    await local.set('hanging', { behaviour: 'hang' })
    await local.mine()
    const held = await local.arrival('hanging', () => true, 'it has arrived')
    expect(held.status_answered).toBeNull()
    await until(async () => (await faultsOf(held.delivery_id)).includes('timeout'), 'it times out')
    await local.set('hanging', { behaviour: 'accept' })
    await untilDelivered(held.delivery_id)
    await until(async () => (await local.page('hanging')).inbox.held === 0, 'nobody waits')
  })

  test('is slow, and answers all the same', async () => {
    await local.set('slow', { behaviour: 'slow', delay_ms: 50 })
    const answer = await local.post('slow', '{}')
    expect([answer.status, await answer.text()]).toEqual([200, '200\n'])
    expect((await local.page('slow')).data[0]?.status_answered).toBe(200)
  })

  test('is emptied, and goes on answering in its way', async () => {
    await local.set('emptied', { behaviour: 'fail' })
    expect((await local.post('emptied', 'x')).status).toBe(500)
    expect(await local.empty('emptied')).toMatchObject({ arrivals: 0, behaviour: 'fail' })
    expect((await local.page('emptied')).data).toEqual([])
    expect((await local.post('emptied', 'x')).status).toBe(500)
  })
})

describe('a signature', () => {
  test('is checked against the keys of the webhook that the body names', async () => {
    const { id, signing_key } = await local.createWebhook('signed')
    const body = blockBody('whevt_0123456789abcdef', 5, 7).replace('wh_0123456789abcdef', id)
    const timestampS = Math.floor(Date.now() / 1000)
    const signed = signedHeaders({
      body,
      id: 'whevt_0123456789abcdef',
      timestampS,
      keys: [signing_key],
    })
    const { 'x-service-signature': plain, ...standard } = signed
    const ofOther = signedHeaders({ body, id: 'whevt_0123456789abcdef', timestampS })
    const old = signedHeaders({
      body,
      id: 'whevt_0123456789abcdef',
      timestampS: timestampS - 900,
      keys: [signing_key],
    })

    expect(await checkOf(body, signed)).toEqual(['valid', null])
    expect(await checkOf(body, standard)).toEqual(['valid', null])
    expect(await checkOf(body, { 'x-service-signature': plain })).toEqual(['valid', null])
    expect(await checkOf(body, {})).toEqual(['missing', 'no header signs it'])
    expect(await checkOf(body, ofOther)).toEqual([
      'invalid',
      'webhook-signature is of no key given',
    ])
    const halfWrong = { ...signed, 'x-service-signature': 'ab'.repeat(32) }
    expect(await checkOf(body, halfWrong)).toEqual([
      'invalid',
      'x-service-signature is of no key of the webhook',
    ])
    expect(await checkOf(body, old)).toEqual(['invalid', 'the attempt is too old'])
    expect(await checkOf(`${body} `, signed)).toMatchObject(['invalid', expect.any(String)])
    const strange = body.replace(id, 'wh_ffffffffffffffff')
    expect(await checkOf(strange, signed)).toMatchObject(['unknown webhook', expect.any(String)])
    expect(await checkOf('not JSON', signed)).toMatchObject(['unknown webhook', expect.any(String)])
  })

  test('holds through a rotation of the key', async () => {
    const { id } = await local.createWebhook('rotated')
    const rotated = await local.call('POST', '/api/rotate-signing-key', { webhook_id: id })
    expect(rotated.status).toBe(200)
    const { head } = await local.mine()
    const arrived = await local.arrival(
      'rotated',
      (one) => one.block_number === head.number,
      'it has arrived',
    )
    expect(arrived).toMatchObject({ signature: 'valid', signature_fault: null })
    expect(Object.keys(arrived.headers)).toContain('x-service-signature-previous')
  })
})

describe('hostile senders', () => {
  test.each([
    ['nothing', ''],
    ['text', 'hello'],
    ['half of JSON', '{"webhookId":"wh_'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no UTF-8', new Uint8Array([0xff, 0xfe, 0x00, 0x80])],
    ['deep nesting', '['.repeat(500_000)],
    ['odd members', '{"webhookId":{},"id":7,"event":{"data":null,"sequenceNumber":-1}}'],
  ])('may post %s, which is kept and is no delivery', async (_title, body) => {
    expect((await local.post('odd', body)).status).toBe(200)
    const [last] = (await local.page('odd', '?limit=1')).data
    expect(last).toMatchObject({
      delivery_id: null,
      webhook_id: null,
      signature: 'missing',
      attempt: 0,
      bytes: Buffer.byteLength(body),
    })
  })

  test('may post as much as a delivery has, and no more', async () => {
    const large = await local.post('large', new Uint8Array(11 * MIB))
    expect(large.status).toBe(200)
    const [last] = (await local.page('large')).data
    expect(last).toMatchObject({ bytes: 11 * MIB, is_body_cut: true })
    expect(last?.body.length).toBe(64 * 1024)
    const huge = await local.post('large', new Uint8Array(13 * MIB))
    expect(huge.status).toBe(413)
    expect(await huge.json()).toMatchObject({ name: 'PayloadTooLarge' })
    expect((await local.page('large')).inbox.arrivals).toBe(1)
  })

  test('see nothing of a long header but its beginning', async () => {
    const headers: Record<string, string> = { 'x-long': 'y'.repeat(5000) }
    for (let at = 0; at < 80; at++) headers[`x-a-${at}`] = '1'
    await local.post('headers', '{}', headers)
    const [last] = (await local.page('headers')).data
    const kept = Object.entries(last?.headers ?? {})
    expect(kept.length).toBeLessThanOrEqual(64)
    expect(kept.every(([, value]) => value.length <= 1024)).toBe(true)
  })

  test.each([
    'Upper',
    'under_score',
    'with.dot',
    'a'.repeat(65),
    'a b',
    'ä',
    '<script>',
    'x/',
    'x/y',
    '__proto__',
    '',
  ])('find no inbox called %j', async (name) => {
    const path = `/inbox/${encodeURI(name)}`
    const { status } = await fetch(headgate.url + path, { method: 'POST', body: '{}' })
    expect(status).toBe(404)
    const read = await fetch(`${headgate.url}/api/inboxes/${encodeURIComponent(name)}`, {
      headers: { 'x-service-token': headgate.teamToken },
    })
    expect(read.status).toBe(name === '' ? 404 : 400)
  })

  test.each([
    ['/inbox/x/../demo', 400],
    ['/inbox/%64emo', 404],
    ['/inbox/%2e%2e/demo', 400],
    ['/inbox//demo', 404],
    ['/inbox\\demo', 400],
    ['/inbox/demo%2fx', 404],
  ])('reach nothing by the odd path %s', async (path, status) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n`
    const answer = await sendRaw(headgate.url, `${head}Connection: close\r\n\r\n{}`)
    expect(answer.status).toBe(status)
  })

  test('may use every allowed name, those of other paths too', async () => {
    for (const name of ['v2', 'api', 'inbox', '-', '0', 'a'.repeat(64), 'constructor']) {
      expect([name, (await local.post(name, '{}')).status]).toEqual([name, 200])
      expect((await local.page(name)).inbox).toMatchObject({ name, arrivals: 1 })
    }
    const { status, headers } = await fetch(`${headgate.url}/inbox/v2`)
    expect([status, headers.get('allow')]).toEqual([405, 'POST'])
  })

  test.each([
    [{}, 'behaviour'],
    [{ behaviour: 'explode' }, 'behaviour'],
    [{ behaviour: 'fail', status: 200 }, 'status'],
    [{ behaviour: 'fail', status: 600 }, 'status'],
    [{ behaviour: 'fail', status: '500' }, 'status'],
    [{ behaviour: 'accept', status: 500 }, 'status'],
    [{ behaviour: 'slow', delay_ms: -1 }, 'delay_ms'],
    [{ behaviour: 'slow', delay_ms: 60_001 }, 'delay_ms'],
    [{ behaviour: 'fail', delay_ms: 5 }, 'delay_ms'],
    [{ behaviour: 'accept', extra: 1 }, 'extra'],
  ])('are not made by %j', async (body, word) => {
    const { status, body: answer } = await local.call('PUT', '/api/inboxes/never', body)
    expect([status, answer.name]).toEqual([400, 'ValidationError'])
    expect(answer.message).toContain(word)
    expect((await local.inboxes()).map(({ name }) => name)).not.toContain('never')
  })

  test.each(['?limit=0', '?limit=101', '?limit=x', '?before=-1', '?before=x', '?after=1'])(
    'get no page by %s',
    async (query) => {
      expect((await local.call('GET', `/api/inboxes/demo${query}`)).status).toBe(400)
    },
  )
})

test('pages go back to the first arrival, each arrival on one of them', async () => {
  for (let at = 1; at <= 7; at++) await local.post('paged', `${at}`)
  const bodies: string[] = []
  let query = '?limit=3'
  for (let pages = 0; pages < 3; pages++) {
    const { data, pagination } = await local.page('paged', query)
    bodies.push(...data.map(({ body }) => body))
    query = `?limit=3&before=${pagination.cursors.before}`
    expect(pagination.cursors.before === undefined).toBe(pages === 2)
  }
  expect(bodies).toEqual(['7', '6', '5', '4', '3', '2', '1'])
})

async function checkOf(body: string, headers: Record<string, string>) {
  await local.post('checked', body, headers)
  const [last] = (await local.page('checked', '?limit=1')).data
  return [last?.signature, last?.signature_fault]
}

async function deliveryOf(id: string | null) {
  const { status, body } = await local.call('GET', `/api/deliveries/${id}`)
  expect(status).toBe(200)
  return body.data as { status: string; attempts: { fault: string | null }[] }
}

async function faultsOf(id: string | null): Promise<(string | null)[]> {
  return (await deliveryOf(id)).attempts.map(({ fault }) => fault)
}

function untilDelivered(id: string | null): Promise<void> {
  return until(async () => (await deliveryOf(id)).status === 'delivered', 'it is delivered')
}
