import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { courierStage, SIGNING_KEY } from '../../tests/support/deliveries/courier-stage.ts'
import { TEAM_A } from '../../tests/support/deliveries/webhook-store.ts'
import { lost } from '../../tests/support/nodes/scripted-egress.ts'
import { hexSignature, standardSignature } from '../core/delivery/signature.ts'
import { signingKeyPlace } from '../ports/secrets.ts'
import { resendDelivery } from '../tables/deliveries/resend-delivery.ts'

/** Hours pass here in seconds, or in more where the machine is busy with others. */
setDefaultTimeout(180_000)

const SECOND = 1000
const MINUTE = 60_000
const HOUR = 3_600_000

describe('a delivery', () => {
  test('is sent as soon as its block is committed, signed in both ways', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    const sequence = await stage.block(id)

    const [sent] = stage.egress.sent
    expect(sent).toMatchObject({
      url: 'https://wh_a.example/hook',
      timeoutMs: 5000,
      json: {
        webhookId: id,
        createdAt: '2026-05-10T12:00:00.000Z',
        type: 'GRAPHQL',
        event: { data: { block: { number: 1 } }, sequenceNumber: `${sequence}` },
      },
    })
    const { headers = {}, body = '', json } = sent ?? {}
    expect(headers['x-service-signature']).toBe(hexSignature(SIGNING_KEY, body))
    expect(headers['webhook-id']).toBe(json.id)
    const timestampS = Number(headers['webhook-timestamp'])
    expect(timestampS).toBe(stage.clock.nowMs() / 1000)
    const expected = standardSignature(SIGNING_KEY, json.id, timestampS, body)
    expect(headers['webhook-signature']).toBe(expected)
    expect(await stage.rows()).toMatchObject([
      { id: json.id, state: 'delivered', attempts_made: 1 },
    ])
  })

  test('is billed by its bytes once it is accepted, and only then', async () => {
    const stage = await courierStage({ retryDelaysMs: [SECOND] })
    const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b')]
    stage.egress.script = ({ url }) => (url.includes('wh_b') ? { status: 500 } : { status: 202 })
    stage.open()
    await stage.block(...ids)
    await stage.rows()
    const bytes = Buffer.byteLength(stage.egress.sent[0]?.body ?? '')
    expect(await stage.billed()).toEqual({ calls: 1, bytes, centi_cu: bytes * 4 })
  })

  test('that its owner resends is billed again when it is accepted again', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    await stage.block(id)
    const [row] = await stage.rows()
    const bytes = Buffer.byteLength(stage.egress.sent[0]?.body ?? '')
    await resendDelivery(stage.database, TEAM_A, row?.id ?? '', stage.clock.nowMs())
    stage.signals.publish('webhooks', id)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered' }])
    expect(stage.egress.sent).toHaveLength(2)
    expect(await stage.billed()).toEqual({ calls: 2, bytes: bytes * 2, centi_cu: bytes * 8 })
  })

  test('names the one before it, so that a receiver can prove that it missed none', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    const numbers = [await stage.block(id), await stage.block(id)]
    const before = stage.egress.sent.map(({ headers }) => headers['x-headgate-previous'])
    expect(before).toEqual([undefined, `${numbers[0]}`])
  })

  test('is signed with both keys while they are being exchanged', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    const { clock, secrets } = stage
    stage.open()
    await stage.block(id)
    const next = `whsec_${'n'.repeat(32)}`
    const previousUntilMs = clock.nowMs() + MINUTE
    await stage.change(id, {
      newKey: { sealed: secrets.seal(next, signingKeyPlace(id)), previousUntilMs },
    })
    await stage.block(id)
    await clock.advance(MINUTE)
    await stage.block(id)

    const [, during, after] = stage.egress.sent
    expect(during?.headers['x-service-signature']).toBe(hexSignature(next, during?.body ?? ''))
    expect(during?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
    expect(after?.headers['webhook-signature']?.split(' ')).toHaveLength(1)
  })

  test('goes where its webhook leads now', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.open()
    await stage.block(id)
    await stage.change(id, { url: 'https://elsewhere.example/new' })
    await stage.block(id)
    expect(stage.egress.sent.map(({ url }) => url)).toEqual([
      'https://wh_a.example/hook',
      'https://elsewhere.example/new',
    ])
  })
})

describe('a destination that does not accept', () => {
  test('is asked again after each of the delays, with the same id, and then given up', async () => {
    const waits = [15 * SECOND, MINUTE, 10 * MINUTE]
    const stage = await courierStage({ retryDelaysMs: waits })
    const id = await stage.webhook('wh_a')
    // An answer, so that its host is not given up.
    stage.egress.script = () => ({ status: 404 })
    stage.open()
    await stage.block(id)
    for (const [at, waitMs] of waits.entries()) {
      await stage.clock.advance(waitMs - SECOND)
      expect(stage.egress.sent).toHaveLength(at + 1)
      await stage.clock.advance(SECOND)
      expect(stage.egress.sent).toHaveLength(at + 2)
    }
    const ids = new Set(stage.egress.sent.map(({ json }) => json.id))
    expect(ids.size).toBe(1)
    expect(await stage.rows()).toMatchObject([{ state: 'failed', attempts_made: 4 }])
    await stage.clock.advance(HOUR)
    expect(stage.egress.sent).toHaveLength(4)
    expect(await stage.billed()).toMatchObject({ calls: 0 })
  })

  test('that is down for ten minutes gets the delivery when it returns', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => lost('connect')
    stage.open()
    await stage.block(id)
    await stage.clock.advance(10 * MINUTE)
    stage.egress.script = () => ({})
    await stage.clock.advance(10 * MINUTE)
    expect(await stage.rows()).toMatchObject([{ state: 'delivered' }])
  })

  test('may ask for patience', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => ({ status: 429, retryAfter: '300' })
    stage.open()
    await stage.block(id)
    stage.egress.script = () => ({})
    await stage.clock.advance(299 * SECOND)
    expect(stage.egress.sent).toHaveLength(1)
    await stage.clock.advance(2 * SECOND)
    expect(stage.egress.sent).toHaveLength(2)
  })

  test('cannot break the log with what it sends back', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a')
    stage.egress.script = () => ({ status: 500, bodyStart: `\u0000'"\ud800; DROP TABLE x` })
    stage.open()
    await stage.block(id)
    expect(await stage.rows()).toMatchObject([{ state: 'waiting', attempts_made: 1 }])
  })
})

describe('an address that may not be connected to', () => {
  test('counts as a failed attempt, and not against the host', async () => {
    const stage = await courierStage()
    const ids = [await stage.webhook('wh_a', { url: 'https://h.example/a' })]
    for (let at = 0; at < 20; at++) {
      ids.push(await stage.webhook(`wh_${at}`, { url: `https://h.example/${at}` }))
    }
    stage.egress.script = () => lost('refused_address')
    stage.open()
    await stage.block(...ids)
    const rows = await stage.rows()
    expect(rows.every((row) => row.attempts_made === 1 && row.state === 'waiting')).toBe(true)
  })
})

describe('what is told to operators', () => {
  test('holds one line for each attempt, and no key or path', async () => {
    const stage = await courierStage()
    const id = await stage.webhook('wh_a', { url: 'https://h.example/secret-path?token=1' })
    const lines: string[] = []
    stage.telemetry.logText = (_level, event, text) => void lines.push(`${event} {${text}}`)
    stage.open()
    await stage.block(id)
    const [line = ''] = lines
    expect(lines).toHaveLength(1)
    expect(JSON.parse(line.slice('delivery '.length))).toMatchObject({
      webhook: id,
      network: 'ETH_MAINNET',
      attempt: 1,
      host: 'h.example:443',
      queue: 'new',
      result: 'delivered',
      status: 200,
      fault: null,
    })
    expect(line).not.toContain('secret-path')
    expect(line).not.toContain('whsec_')
  })
})

test('a team with two webhooks on one query shares the stored result', async () => {
  const stage = await courierStage()
  const ids = [await stage.webhook('wh_a'), await stage.webhook('wh_b', { teamId: TEAM_A })]
  stage.open()
  await stage.block(...ids)
  expect(stage.egress.sent.map(({ json }) => json.event.data)).toEqual([
    { block: { number: 1, text: 'Größe in €' } },
    { block: { number: 1, text: 'Größe in €' } },
  ])
})
