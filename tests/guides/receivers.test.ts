import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { until } from '../support/basics/until.ts'
import { blockBody, SIGNING_KEY, signedHeaders } from '../support/deliveries/signed-delivery.ts'
import { type Language, languages } from './languages.ts'
import { type StartedReceiver, startReceiver } from './start-receiver.ts'

/** A program has to be compiled and started first, on a machine that may be busy. */
setDefaultTimeout(180_000)

const NEXT_KEY = 'whsec_abcdefghijklmnopqrstuvwx'
const OTHER_KEY = 'whsec_000000000000000000000000'

for (const language of languages()) {
  describe.skipIf(language.missing !== null)(`the receiver in ${language.name}`, () => {
    exam(language)
  })
}

type Changes = {
  keys?: readonly string[]
  /** Seconds from now. */
  ageS?: number
  headers?: Record<string, string | null>
  /** Sent instead of the body that was signed. */
  sent?: string
}

function exam(language: Language): void {
  let receiver: StartedReceiver
  let lenient: StartedReceiver
  beforeAll(async () => {
    receiver = await startReceiver(language, { SIGNING_KEY: `${NEXT_KEY},${SIGNING_KEY}` })
    lenient = await startReceiver(language, { SIGNING_KEY, ACCEPT_UNTIMED: '1' })
  })
  afterAll(async () => {
    await receiver.stop()
    await lenient.stop()
  })

  test('takes each delivery once, and of a block the version with the highest number', async () => {
    const post = (body: string) => send(receiver, body)
    expect(await post(blockBody('whevt_1', 7, '1000000000001'))).toBe('200 taken')
    expect(await post(blockBody('whevt_1', 7, '1000000000001'))).toBe('200 repeat')
    expect(await post(blockBody('whevt_3', 7, '9007199254740993'))).toBe('200 taken')
    expect(await post(blockBody('whevt_2', 7, '9007199254740992'))).toBe('200 stale')
    expect(await post(blockBody('whevt_2', 7, '9007199254740992'))).toBe('200 repeat')
    expect(await post(blockBody('whevt_4', 7, '10000000000000000'))).toBe('200 taken')
    expect(await post(blockBody('whevt_5', null, '5'))).toBe('200 taken')
    await until(() => receiver.said().includes('block 7 again:'), 'it tells of the re-run')
    expect(Object.keys(await receiver.blocks())).toEqual(['7'])
  })

  test('takes either key while one replaces the other', async () => {
    const body = (id: string) => blockBody(id, 8, 1_000_000_000_002)
    const both = { keys: [NEXT_KEY, SIGNING_KEY] }
    expect(await send(receiver, body('whevt_6'), { keys: [NEXT_KEY] })).toBe('200 taken')
    expect(await send(receiver, body('whevt_7'), { keys: [SIGNING_KEY] })).toBe('200 taken')
    expect(await send(lenient, body('whevt_8'), both)).toBe('200 taken')
  })

  test('hands over what the service has to say', async () => {
    const event = { error: 'Monthly capacity limit exceeded.' }
    const body = JSON.stringify({ webhookId: 'wh_1', id: 'whevt_9', createdAt: '', event })
    expect(await send(receiver, body)).toBe('200 taken')
    await until(() => receiver.said().includes('Monthly capacity'), 'it tells of the message')
  })

  const body = blockBody('whevt_forged', 66, 1_000_000_000_009)
  const timed = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const without = (names: string[]) => Object.fromEntries(names.map((name) => [name, null]))
  const garbled = (text: string): Changes => ({ headers: { 'webhook-signature': text } })
  test.each<[string, Changes]>([
    ['another key', { keys: [OTHER_KEY] }],
    ['another body', { sent: body.replace('66', '67') }],
    ['one byte more', { sent: `${body} ` }],
    ['no headers at all', { headers: without([...timed, 'x-service-signature']) }],
    ['the scheme without a time', { headers: without(timed) }],
    ['no time', { headers: without(['webhook-timestamp']) }],
    ['no signature of the timed scheme', { headers: without(['webhook-signature']) }],
    ['another id', { headers: { 'webhook-id': 'whevt_other' } }],
    ['an id with a dot', { headers: { 'webhook-id': 'whevt_forged.1' } }],
    ['a time that was changed', { headers: { 'webhook-timestamp': `${nowS() - 1}` } }],
    ['a time that is none', { headers: { 'webhook-timestamp': '+1e9' } }],
    ['a time beyond all numbers', { headers: { 'webhook-timestamp': '9'.repeat(30) } }],
    ['a recording of six minutes ago', { ageS: -360 }],
    ['a time in six minutes', { ageS: 360 }],
    ['an empty signature', garbled('')],
    ['a signature of another version', garbled('v2,AAAA')],
    ['a signature with an odd character', garbled('v1,ÿÿÿ')],
    ['a shorter signature', garbled('v1,')],
  ])('refuses %s', async (_what, changes) => {
    expect(await send(receiver, body, changes)).toStartWith('401 ')
    expect(await receiver.blocks()).not.toContainKey('66')
  })

  const notDeliveries = [
    'null',
    '[]',
    '7',
    '{',
    '{"event":{}}',
    '{"id":"a","webhookId":"b","event":null}',
    '{"id":"a","webhookId":"b","event":{"data":null}}',
    '{"id":"a","webhookId":"b","event":{"data":{"block":{}},"sequenceNumber":"1e3"}}',
    '{"id":7,"webhookId":"b","event":{"data":{},"sequenceNumber":"1"}}',
    '[['.repeat(100_000),
  ]
  test.each(notDeliveries.map((text) => [text.slice(0, 40), text]))(
    'does not take %s for a delivery, whoever has signed it',
    async (_shown, text) => {
      expect(await send(receiver, text)).toStartWith('400 ')
      expect(await send(receiver, blockBody('whevt_after', 9, 1))).toMatch(/^200 (?:taken|repeat)/)
    },
  )

  test('takes the scheme without a time where it is told to, and only a good one', async () => {
    const untimed = { headers: without(timed) }
    const good = blockBody('whevt_1', 7, 1)
    expect(await send(lenient, good, untimed)).toBe('200 taken')
    expect(await send(lenient, good, { ...untimed, keys: [OTHER_KEY] })).toBe('401 refused')
    // A header of the timed scheme decides, whatever else is good.
    expect(await send(lenient, good, garbled('v1,AAAA'))).toBe('401 refused')
  })

  test('does not read a body without an end', async () => {
    const answer = await send(receiver, 'x'.repeat(11_000_001)).catch(() => '413 cut')
    expect(answer).toStartWith('413 ')
    expect(await send(receiver, blockBody('whevt_after', 9, 1))).toMatch(/^200 (?:taken|repeat)/)
  })
}

async function send(
  { url }: StartedReceiver,
  body: string,
  changes: Changes = {},
): Promise<string> {
  const { keys = [SIGNING_KEY], ageS = 0, headers = {}, sent = body } = changes
  const id = /"id":"(\w+)"/.exec(body)?.[1] ?? 'whevt_none'
  const timestampS = nowS() + ageS
  const signed: Record<string, string> = signedHeaders({ body, id, timestampS, keys })
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) delete signed[name]
    else signed[name] = value
  }
  const answer = await fetch(`${url}/hook`, { method: 'POST', body: sent, headers: signed })
  return `${answer.status} ${(await answer.text()).trim()}`
}

function nowS(): number {
  return Math.floor(Date.now() / 1000)
}
