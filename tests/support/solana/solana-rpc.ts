import { expect } from 'bun:test'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

export type SolanaRpc = {
  /** The whole reply, an error included. */
  reply(method: string, ...params: unknown[]): Promise<Json>
  /** The result; an error fails the test. */
  call(method: string, ...params: unknown[]): Promise<Json>
  /** The text of the reply to a text. */
  post(body: string): Promise<string>
}

/** A Solana node, asked by hand. */
export function solanaRpc(url: string): SolanaRpc {
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' }
    return (await fetch(url, { method: 'POST', headers, body })).text()
  }
  const reply = async (method: string, ...params: unknown[]) =>
    JSON.parse(await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })))
  return {
    post,
    reply,
    async call(method, ...params) {
      const { result, error } = await reply(method, ...params)
      expect(error).toBeUndefined()
      return result
    },
  }
}

/** A socket to a Solana node that keeps what it hears until somebody waits for it. */
export async function solanaSocket(url: string) {
  const socket = new WebSocket(url)
  const heard: Json[] = []
  let wake = () => {}
  socket.onmessage = ({ data }) => {
    heard.push(JSON.parse(String(data)))
    wake()
  }
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  /** The next message that fits; the others before it are dropped. */
  const next = async (fits: (message: Json) => boolean): Promise<Json> => {
    for (;;) {
      while (heard.length > 0) {
        const message = heard.shift()
        if (fits(message)) return message
      }
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  const { promise: ended, resolve: end } = Promise.withResolvers<{ code: number; reason: string }>()
  socket.addEventListener('close', ({ code, reason }) => end({ code, reason }))
  let asked = 0
  return {
    /** Resolves when it was closed, by whomever. */
    ended,
    send: (text: string) => socket.send(text),
    next,
    async ask(method: string, ...params: unknown[]): Promise<Json> {
      asked++
      const id = asked
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      return next((message) => message.id === id)
    },
    /** The result of the next notification of a subscription. */
    async news(subscription: number): Promise<Json> {
      const { params } = await next((message) => message.params?.subscription === subscription)
      return params.result
    },
    close(): Promise<void> {
      return new Promise((resolve) => {
        socket.onclose = () => resolve()
        socket.close()
      })
    },
  }
}
