import { connect } from 'node:net'

/** An HTTP answer as it came over the wire. */
export type RawAnswer = { status: number; head: string; body: string }

const ANSWER_MS_MAX = 40_000

/**
 * Sends bytes that no HTTP client would, and reads until the server closes. A null
 * part closes our side. Resolves with status 0 when there was no answer.
 */
export function sendRaw(url: string, ...parts: readonly (string | Uint8Array | null)[]) {
  const { hostname, port } = new URL(url)
  const host = hostname === 'localhost' ? '127.0.0.1' : hostname
  return new Promise<RawAnswer>((resolve, reject) => {
    const socket = connect({ host, port: Number(port) })
    const chunks: Buffer[] = []
    socket.setTimeout(ANSWER_MS_MAX, () => {
      socket.destroy()
      reject(new Error('the server neither answered nor closed'))
    })
    socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
    socket.on('error', () => {})
    socket.on('close', () => resolve(rawAnswer(Buffer.concat(chunks).toString('utf8'))))
    for (const part of parts) {
      if (part === null) socket.end()
      else socket.write(part)
    }
  })
}

/** Sends the start of a request and hangs up. */
export async function hangUpAfter(url: string, text: string): Promise<void> {
  const { port } = new URL(url)
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    socket.on('error', reject)
    socket.on('close', () => resolve())
    // A reset, not a goodbye: what a crashed client looks like.
    socket.write(text, () => socket.resetAndDestroy())
  })
}

/** Sends the start of a request, then a byte every now and then, until the server closes. */
export async function dripAfter(url: string, text: string): Promise<RawAnswer> {
  const { port } = new URL(url)
  const socket = connect({ host: '127.0.0.1', port: Number(port) })
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(Buffer.from(chunk)))
  socket.on('error', () => {})
  socket.write(text)
  const drip = setInterval(() => socket.write(' '), 50)
  await new Promise<void>((resolve) => socket.on('close', () => resolve()))
  clearInterval(drip)
  return rawAnswer(Buffer.concat(chunks).toString('utf8'))
}

function rawAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const head = end < 0 ? text : text.slice(0, end)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0)
  return { status, head, body: end < 0 ? '' : text.slice(end + 4) }
}
