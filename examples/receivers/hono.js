// npm install hono @hono/node-server <tarball of headgate> && SIGNING_KEY=whsec_… node hono.js
import { serve } from '@hono/node-server'
import { openReceiver } from 'headgate/receiver'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'

const receiver = openReceiver({
  signingKeys: process.env.SIGNING_KEY ?? '',
  onDelivery(delivery, { missing }) {
    if (missing !== null) console.warn(`${missing} has not come yet`)
    console.log(JSON.stringify(delivery))
  },
})

const app = new Hono()

// Results go up to 10 MB.
app.post('/hook', bodyLimit({ maxSize: 11_000_000 }), async (context) => {
  const body = await context.req.text()
  const received = await receiver.receive({ body, headers: context.req.raw.headers })
  if (received.kind === 'refused') console.warn(received.refusal.message)
  return context.text(received.kind, received.status)
})

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }, (at) => {
  console.log(`waiting for deliveries at http://127.0.0.1:${at.port}/hook`)
})
