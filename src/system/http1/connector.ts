import type { Socket, TLSOptions } from 'bun'
import { openTurnQueue, type TurnQueue } from '../../core/async/turn-queue.ts'
import type { Message } from './request-message.ts'
import type { HeadMemo } from './response-head.ts'

/** Where to connect. Egress gives an address, never a name. */
export type Target = {
  address: string
  port: number
  tls: boolean
  /** The name that the certificate must go for; null where the address itself is its name. */
  serverName: string | null
}

/** An open connection; behind TLS the other side has shown a certificate of its name. */
export type Connection = {
  /** The address at the other end, where the runtime tells it. */
  readonly remoteAddress: string | null
  /** True while the last message, or a part of it, is not yet in the kernel. */
  readonly isSending: boolean
  /** The exchange that uses the connection, or the pool that keeps it. */
  owner: ConnectionOwner | null
  readonly memo: HeadMemo
  /** Goes out with the other messages of this turn of the event loop. */
  send(message: Message): void
  /** Leaves what comes in the kernel, so that the sender slows down. */
  pause(): void
  resume(): void
  end(): void
  terminate(): void
}

export type ConnectionOwner = {
  received(connection: Connection, bytes: Buffer): void
  /** `isBroken` when it was torn down. Not called after the owner itself ended it. */
  closed(connection: Connection, isBroken: boolean): void
}

export type ConnectFault =
  | 'connect'
  | 'tls'
  /** An origin refuses the address that it was connected to; the connector itself never does. */
  | 'refused_address'

/** `opened` or `failed` is called, once, after `connect` has returned, unless it was given up. */
export type ConnectListener = {
  /** The other side has accepted, and TLS begins. */
  accepted?(): void
  opened(connection: Connection): void
  failed(fault: ConnectFault): void
}

/** Connects, and returns how to give up. */
export type Connect = (target: Target, listener: ConnectListener) => () => void

type SocketConnection = Connection & { sendWhole(): void; sendRest(): void }

/** Bytes, and the owner of their connection when they arrived. */
type Arrival = { connection: SocketConnection; owner: ConnectionOwner; bytes: Buffer }

/** The messages that a connector's sockets send and receive in one turn of the event loop. */
type Turn = { sends: TurnQueue<SocketConnection>; arrivals: TurnQueue<Arrival> }

type Dial = {
  tls: boolean
  turn: Turn
  /** Null once it was called, or the attempt was given up. */
  listener: ConnectListener | null
  /** Set when the other side has accepted; what can still fail is TLS. */
  socket: Socket<Dial> | null
  connection: SocketConnection | null
  /** Called when the kernel has stopped trying. */
  settled(): void
}

type ConnectorOptions = {
  /** Replaces the well-known authorities. */
  ca?: readonly string[]
  /**
   * The runtime cannot take back a connection that is being made: the kernel goes on trying for
   * two minutes. An address with this many attempts given up but not over gets no more of them.
   */
  abandonedMax: number
  /** Receives exceptions of the owners of connections. Without it they are thrown again. */
  reportBug?: ((bug: unknown) => void) | undefined
  dial?: typeof Bun.connect
}

/**
 * Sent one right after the other, messages wake the other side once. The first waits for the work
 * that leads to the others, so they may not be many.
 */
const SENT_TOGETHER_MAX = 16

const RECEIVED_TOGETHER_MAX = 64

export function openConnector(options: ConnectorOptions): Connect {
  const { ca, abandonedMax, reportBug = rethrow, dial: connect = Bun.connect } = options
  const abandoned = new Map<string, number>()
  const turn: Turn = {
    // The requests of a turn are all there once its bodies are; answers arrive one by one.
    sends: openTurnQueue(process.nextTick, SENT_TOGETHER_MAX, (one) => one.sendWhole()),
    arrivals: openTurnQueue(setImmediate, RECEIVED_TOGETHER_MAX, (arrival) => {
      try {
        receive(arrival)
      } catch (bug) {
        reportBug(bug)
        breakOffAfterBug(arrival.connection)
      }
    }),
  }

  const breakOffAfterBug = (connection: SocketConnection) => {
    try {
      breakOff(connection)
    } catch (bug) {
      // An owner in a bad state may throw again, and nothing else would catch it.
      reportBug(bug)
    }
  }

  return ({ address, port, tls, serverName }, listener) => {
    const place = `${address} ${port}`
    let state: 'trying' | 'abandoned' | 'settled' = 'trying'
    const settled = () => {
      if (state === 'abandoned') count(abandoned, place, -1)
      state = 'settled'
    }
    const dial: Dial = { tls, turn, listener, socket: null, connection: null, settled }
    const fail = () => {
      settled()
      failDial(dial, 'connect')
    }
    if ((abandoned.get(place) ?? 0) >= abandonedMax) {
      queueMicrotask(fail)
    } else {
      const security = tls ? { tls: securityOf(serverName, ca) } : {}
      const request = { hostname: address, port, data: dial, socket: HANDLERS, ...security }
      const connecting = async () => connect<Dial>(request)
      connecting().catch(fail)
    }
    return () => {
      dial.listener = null
      if (!dial.connection) dial.socket?.terminate()
      if (state !== 'trying') return
      state = 'abandoned'
      count(abandoned, place, 1)
    }
  }
}

/** The host without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** Bytes that arrived for an earlier owner are not an answer to the present one. */
function receive({ connection, owner, bytes }: Arrival): void {
  if (connection.owner === owner) owner.received(connection, bytes)
  else breakOff(connection)
}

function breakOff(connection: SocketConnection): void {
  const { owner } = connection
  connection.terminate()
  owner?.closed(connection, true)
}

function rethrow(bug: unknown): never {
  throw bug
}

function count(abandoned: Map<string, number>, place: string, change: 1 | -1): void {
  const now = (abandoned.get(place) ?? 0) + change
  if (now > 0) abandoned.set(place, now)
  else abandoned.delete(place)
}

function securityOf(serverName: string | null, ca: readonly string[] | undefined): TLSOptions {
  return {
    // Written down, for else a variable of the environment could turn it off.
    rejectUnauthorized: true,
    ...(serverName === null ? {} : { serverName }),
    ...(ca ? { ca: [...ca] } : {}),
  }
}

const HANDLERS = {
  open(socket: Socket<Dial>) {
    const dial = socket.data
    dial.socket = socket
    dial.settled()
    if (!dial.listener) return socket.terminate()
    socket.setNoDelay(true)
    // Over TLS nothing is sent before the handshake has shown who is at the other end.
    if (dial.tls) dial.listener.accepted?.()
    else open(dial, socket)
  },
  handshake(socket: Socket<Dial>, success: boolean, refusal: Error | null) {
    const dial = socket.data
    if (dial.connection) return
    if (success && refusal === null && socket.authorized && dial.listener) return open(dial, socket)
    failDial(dial, 'tls')
    socket.terminate()
  },
  data(socket: Socket<Dial>, bytes: Buffer) {
    const { connection, turn } = socket.data
    if (connection?.owner) turn.arrivals.add({ connection, owner: connection.owner, bytes })
    else socket.terminate()
  },
  drain(socket: Socket<Dial>) {
    socket.data.connection?.sendRest()
  },
  close(socket: Socket<Dial>, error?: Error) {
    const { connection, turn } = socket.data
    if (!connection) return failDial(socket.data, 'tls')
    // The owner hears of the close after the bytes that arrived before it.
    turn.arrivals.run()
    const { owner } = connection
    connection.owner = null
    owner?.closed(connection, error !== undefined)
  },
  error() {
    // A close follows, and that is where it is dealt with.
  },
}

/** Called from the runtime's own callback: when its promise resolves, much may have happened. */
function open(dial: Dial, socket: Socket<Dial>): void {
  const { listener } = dial
  dial.connection = connectionOver(socket, dial.turn.sends)
  dial.listener = null
  listener?.opened(dial.connection)
}

function connectionOver(socket: Socket<Dial>, sends: Turn['sends']): SocketConnection {
  let whole: Message | null = null
  let unsent: Uint8Array | null = null
  let isPaused = false
  const connection: SocketConnection = {
    get remoteAddress() {
      return socket.remoteAddress || null
    },
    get isSending() {
      return whole !== null || unsent !== null
    },
    owner: null,
    memo: { text: '', head: null },
    send(message) {
      whole = message
      sends.add(connection)
    },
    sendWhole() {
      // Given up or closed since it was given the message.
      if (whole === null || connection.owner === null) return
      const { content, bytes } = whole
      whole = null
      const written = Math.max(0, socket.write(content))
      if (written >= bytes) return
      unsent = (typeof content === 'string' ? Buffer.from(content) : content).subarray(written)
    },
    sendRest() {
      if (unsent === null) return
      const written = Math.max(0, socket.write(unsent))
      unsent = written < unsent.length ? unsent.subarray(written) : null
    },
    pause() {
      if (!isPaused) socket.pause()
      isPaused = true
    },
    resume() {
      if (isPaused) socket.resume()
      isPaused = false
    },
    end() {
      connection.owner = null
      // Not the runtime's own `end`: behind TLS that waits for the other side, for ever.
      socket.close()
    },
    terminate() {
      connection.owner = null
      socket.terminate()
    },
  }
  return connection
}

function failDial(dial: Dial, fault: ConnectFault): void {
  const { listener } = dial
  dial.listener = null
  listener?.failed(fault)
}
