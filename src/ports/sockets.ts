export type SocketRequest = {
  /** ws or wss, without credentials: those go into the headers. */
  url: string
  headers: Readonly<Record<string, string>>
  /** A longer message ends the connection. */
  messageCharsMax: number
}

/** Why a connection is over. The other side's own words may hold anything, and are not told. */
export type SocketEnd =
  /** The socket never opened. */
  | 'unreachable'
  /** The other side ended it, or the way to it broke. */
  | 'lost'
  | 'message_too_large'
  /** We closed it. */
  | 'closed'

/** Receives what happens on a connection, but nothing before `open` or `close` has returned. */
export type SocketListener = {
  opened(): void
  /** Texts only; other messages are dropped. */
  received(text: string): void
  /** The end, told once, whether the socket ever opened or not; nothing is received after it. */
  closed(reason: SocketEnd): void
}

export type Socket = {
  /** Messages sent before the socket opened or after it ended are dropped. */
  send(text: string): void
  /** Ends it at once, without waiting for the other side. */
  close(): void
}

/** The only way out over WebSockets. A simulation stands in for it. */
export interface Sockets {
  open(request: SocketRequest, listener: SocketListener): Socket
}
