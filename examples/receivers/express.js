// npm install express <tarball of headgate> && SIGNING_KEY=whsec_… node express.js
import express from 'express'
import { openReceiver } from 'headgate/receiver'

const receiver = openReceiver({
  signingKeys: process.env.SIGNING_KEY ?? '',
  onDelivery(delivery, { missing }) {
    if (missing !== null) console.warn(`${missing} has not come yet`)
    console.log(JSON.stringify(delivery))
  },
})

const app = express()

// The raw body, not express.json(): what is signed are the bytes. Results go up to 10 MB.
const rawBody = express.raw({ type: () => true, limit: '11mb' })

app.post('/hook', rawBody, async (req, res, next) => {
  try {
    const body = req.body ?? ''
    const received = await receiver.receive({ body, headers: req.headersDistinct })
    if (received.kind === 'refused') console.warn(received.refusal.message)
    res.status(received.status).send(received.kind)
  } catch (error) {
    // A 500, so that the delivery comes again.
    next(error)
  }
})

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(`waiting for deliveries at http://127.0.0.1:${server.address().port}/hook`)
})
