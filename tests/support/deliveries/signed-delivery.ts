import { createHmac } from 'node:crypto'

type Signed = {
  body: string
  id: string
  timestampS: number
  keys?: readonly string[]
}

export const SIGNING_KEY = 'whsec_0123456789abcdefghijklmn'

/** The headers of a delivery by the words of the contract, without the code under test. */
export function signedHeaders({ body, id, timestampS, keys = [SIGNING_KEY] }: Signed) {
  const standard = keys.map((key) => {
    const secret = Buffer.from(key.slice('whsec_'.length), 'base64')
    const mac = createHmac('sha256', secret).update(`${id}.${timestampS}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  const [current, previous] = keys.map((key) =>
    createHmac('sha256', key).update(body).digest('hex'),
  )
  return {
    'content-type': 'application/json',
    'x-service-signature': `${current}`,
    ...(previous === undefined ? {} : { 'x-service-signature-previous': previous }),
    'webhook-id': id,
    'webhook-timestamp': `${timestampS}`,
    'webhook-signature': standard.join(' '),
  }
}

/** The body of a data delivery for a height. */
export function blockBody(id: string, number: number | null, sequenceNumber: number | string) {
  return JSON.stringify({
    webhookId: 'wh_0123456789abcdef',
    id,
    createdAt: '2026-11-15T04:05:06.070Z',
    type: 'GRAPHQL',
    event: {
      data: { block: number === null ? { hash: '0x1' } : { number } },
      sequenceNumber: `${sequenceNumber}`,
      network: 'ETH_MAINNET',
    },
  })
}
