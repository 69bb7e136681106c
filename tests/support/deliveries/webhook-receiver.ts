import { hexSignature } from '../../../src/core/delivery/signature.ts'
import { verifyDelivery } from '../../../src/receiver/verify-delivery.ts'

/** A delivery that arrived. */
export type Arrival = {
  path: string
  headers: Headers
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  json: any
  status: number
}

/** A real server on this machine that takes deliveries. */
export type WebhookReceiver = {
  url: string
  arrivals: Arrival[]
  /** The status of the next answer; 200 unless told. */
  answer(path: string, body: string): number
  /** The deliveries that were accepted on that path, in the order they came in. */
  acceptedOn(path: string): Arrival[]
  acceptedBytes(): number
  stop(): Promise<void>
}

export function startWebhookReceiver(): WebhookReceiver {
  const arrivals: Arrival[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text()
      const path = new URL(request.url).pathname
      const status = receiver.answer(path, body)
      arrivals.push({ path, headers: request.headers, body, json: JSON.parse(body), status })
      return new Response('noted', { status })
    },
  })
  const accepted = () => arrivals.filter(({ status }) => status < 300)
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${server.port}`,
    arrivals,
    answer: () => 200,
    acceptedOn: (path) => accepted().filter((one) => one.path === path),
    acceptedBytes: () => accepted().reduce((sum, { body }) => sum + Buffer.byteLength(body), 0),
    stop: () => server.stop(true),
  }
  return receiver
}

/** True when both signatures are right, checked on what came over the wire. */
export async function isSignedBothWays(arrival: Arrival, signingKey: string): Promise<boolean> {
  const { body, headers } = arrival
  const verified = await verifyDelivery({ body, headers, signingKeys: signingKey })
  return verified.ok && headers.get('x-service-signature') === hexSignature(signingKey, body)
}
