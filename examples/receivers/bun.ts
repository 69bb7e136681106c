// SIGNING_KEY=whsec_… bun examples/receivers/bun.ts
import { openReceiver } from 'headgate/receiver'

const receiver = openReceiver({
  signingKeys: process.env.SIGNING_KEY ?? '',
  onDelivery(delivery, { missing }) {
    if (missing !== null) console.warn(`${missing} has not come yet`)
    console.log(JSON.stringify(delivery))
  },
})

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  // Results go up to 10 MB.
  maxRequestBodySize: 11_000_000,
  routes: {
    '/hook': {
      async POST(request) {
        const body = await request.bytes()
        const received = await receiver.receive({ body, headers: request.headers })
        if (received.kind === 'refused') console.warn(received.refusal.message)
        return new Response(received.kind, { status: received.status })
      },
    },
  },
})

console.log(`waiting for deliveries at ${server.url}hook`)
