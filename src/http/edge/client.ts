import type { ServerSocketListener } from '../websocket/socket-handlers.ts'

/** A client that an answer goes to for a long time. */
export type StreamClient = {
  /** Ends the connection, within seconds, whatever the client has not taken. */
  cut(): void
  /** The connection may be silent for as long as it likes. */
  hold(): void
}

export type ApiClient = StreamClient & { address(): string }

/** The client of one request, by its connection. */
export type Client = ApiClient & {
  /** Few requests are open at the server. */
  isQuiet(): boolean
  /** Answers with the protocol's 101; false when the request is no whole handshake. */
  upgrade(listener: ServerSocketListener): boolean
}
