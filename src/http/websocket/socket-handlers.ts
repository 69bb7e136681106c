import type { ServerWebSocket, WebSocketHandler } from 'bun'
import { BODY_BYTES_MAX } from '../edge/request-bodies.ts'

export type ServerSocket = Pick<
  ServerWebSocket<unknown>,
  'send' | 'cork' | 'close' | 'terminate' | 'getBufferedAmount'
>

export type ServerSocketListener = {
  opened(socket: ServerSocket): void
  received(message: string | Buffer): void
  /** Some of what waited was taken. */
  drained(): void
  closed(code: number): void
}

/** A client that is silent for so long, pings included, is gone. */
const IDLE_TIMEOUT_S = 60

/** Far above what is ever left waiting here: a connection cuts its client long before. */
const BACKPRESSURE_BYTES_MAX = 64 * 1024 * 1024

/**
 * Hands what happens on sockets to their connections. The runtime pings the idle ones, and closes
 * with 1009 what sends a longer frame.
 */
export const SOCKET_HANDLERS: WebSocketHandler<ServerSocketListener> = {
  maxPayloadLength: BODY_BYTES_MAX,
  idleTimeout: IDLE_TIMEOUT_S,
  sendPings: true,
  backpressureLimit: BACKPRESSURE_BYTES_MAX,
  perMessageDeflate: false,
  open: (socket) => socket.data.opened(socket),
  message: (socket, message) => socket.data.received(message),
  drain: (socket) => socket.data.drained(),
  close: (socket, code) => socket.data.closed(code),
}
