/** Programs that check a delivery's signature, each whole and as it was run. */
export const VERIFY_SNIPPETS = [
  {
    name: 'TypeScript',
    text: `import { openReceiver } from 'headgate/receiver'

const receiver = openReceiver({
  signingKeys: process.env.SIGNING_KEY ?? '',
  async onDelivery(delivery) {
    console.log(delivery.kind, delivery.id)
  },
})

Bun.serve({
  port: 3000,
  async fetch(request) {
    // The raw body: one that was parsed and written again has other bytes.
    const body = await request.bytes()
    const received = await receiver.receive({ body, headers: request.headers })
    return new Response(received.kind, { status: received.status })
  },
})
`,
  },
  {
    name: 'Python',
    text: `import hashlib, hmac, os

def is_ours(body: bytes, headers) -> bool:
    key = os.environ["SIGNING_KEY"].encode()
    wanted = hmac.new(key, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(wanted, headers["x-service-signature"])
`,
  },
  {
    name: 'openssl',
    text: `# Prints what x-service-signature must be, for a body saved byte by byte.
openssl dgst -sha256 -hmac "$SIGNING_KEY" -hex < body.json
`,
  },
] as const
