import { until } from '../basics/until.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape.
type Message = any

/** A bare WebSocket client: what it was sent, and how it was closed. */
export type WsClient = {
  socket: WebSocket
  /** Every message so far, read. */
  messages: Message[]
  /** Those of subscriptions. */
  notifications(subscription?: unknown): Message[]
  closed: { code: number; reason: string } | null
  send(message: unknown): void
  /** Sends a call and waits for its answer. */
  call(method: string, params?: unknown[]): Promise<Message>
  close(): Promise<void>
}

let lastId = 0

export async function openWsClient(url: string): Promise<WsClient> {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  const client: WsClient = {
    socket,
    messages: [],
    notifications: (subscription) =>
      client.messages
        .filter(
          ({ method, params }) => method && (!subscription || params.subscription === subscription),
        )
        .map(({ params }) => params.result),
    closed: null,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    async call(method, params = []) {
      const id = `call-${++lastId}`
      client.send({ jsonrpc: '2.0', id, method, params })
      await until(
        () => client.closed !== null || client.messages.some((message) => message.id === id),
        `${method} is answered`,
      )
      return client.messages.find((message) => message.id === id)
    },
    async close() {
      socket.close()
      await until(() => client.closed !== null, 'the socket is closed')
    },
  }
  socket.onmessage = ({ data }) => void client.messages.push(JSON.parse(String(data)))
  const opened = Promise.withResolvers<void>()
  socket.onopen = () => opened.resolve()
  socket.onclose = ({ code, reason }) => {
    client.closed = { code, reason }
    opened.reject(new Error(`closed with ${code}`))
  }
  await opened.promise
  return client
}
