import type { Socket, TLSOptions } from 'bun'

/** Where to connect: an address, never a name. */
export type Target = {
  address: string
  port: number
  tls: boolean
  /** The name that the certificate must go for; null where the address itself is its name. */
  serverName: string | null
}

/** An open connection; behind TLS the other side has shown a certificate of its name. */
export type Wire = {
  /** The address at the other end, where the runtime tells it. */
  readonly remoteAddress: string | null
  /** Whoever uses it at the moment, and is told what happens on it. */
  holder: WireHolder | null
  /** Takes as many bytes as there is room for, and returns how many those were. */
  write(bytes: string | Uint8Array): number
  /** Says goodbye. */
  end(): void
  /** Tears it down. */
  terminate(): void
}

type WireHolder = {
  received(bytes: Buffer): void
  /** There is room again. */
  drained(): void
  /** Over, and `broken` when it was torn down. Not told of an end that it made itself. */
  closed(broken: boolean): void
}

type ConnectFault = 'connect' | 'tls'

/** Who waits for a connection. One of the two is called, once, unless it was given up. */
type ConnectHearer = {
  opened(wire: Wire): void
  failed(fault: ConnectFault): void
}

/** Connects, and returns how to give up. */
export type Connect = (target: Target, hearer: ConnectHearer) => () => void

/** The runtime's socket, and what came of it. */
type Dial = {
  tls: boolean
  /** Null once it was told, or gave up. */
  hearer: ConnectHearer | null
  /** The other side has accepted; what can still fail is TLS. */
  socket: Socket<Dial> | null
  wire: Wire | null
  /** Called when the kernel is done with asking. */
  answered(): void
}

/**
 * The runtime cannot take back a connection that is being made: the kernel goes on asking for
 * two minutes. An address that lets so many of them hang is not asked for more meanwhile.
 */
const HANGING_MAX = 8

type ConnectorOptions = {
  /** Replaces the well-known authorities. */
  ca?: readonly string[]
  dial?: typeof Bun.connect
}

/** Connections over the sockets of this thread. */
export function openConnector({ ca, dial: connect = Bun.connect }: ConnectorOptions = {}): Connect {
  const hanging = new Map<string, number>()

  return ({ address, port, tls, serverName }, hearer) => {
    const place = `${address} ${port}`
    if ((hanging.get(place) ?? 0) >= HANGING_MAX) {
      hearer.failed('connect')
      return () => {}
    }
    let asking = true
    let hangs = false
    const answered = () => {
      asking = false
      if (hangs) count(hanging, place, -1)
      hangs = false
    }
    const dial: Dial = { tls, hearer, socket: null, wire: null, answered }
    const security = tls ? { tls: securityOf(serverName, ca) } : {}
    const options = { hostname: address, port, data: dial, socket: HANDLERS, ...security }
    const connecting = async () => connect<Dial>(options)
    connecting().catch(() => {
      answered()
      fail(dial, 'connect')
    })
    return () => {
      dial.hearer = null
      if (!dial.wire) dial.socket?.terminate()
      if (!asking || hangs) return
      hangs = true
      count(hanging, place, 1)
    }
  }
}

function count(hanging: Map<string, number>, place: string, change: 1 | -1): void {
  const now = (hanging.get(place) ?? 0) + change
  if (now > 0) hanging.set(place, now)
  else hanging.delete(place)
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
    dial.answered()
    if (!dial.hearer) return socket.terminate()
    socket.setNoDelay(true)
    // Over TLS nothing is sent before the handshake has told whom we speak to.
    if (!dial.tls) open(dial, socket)
  },
  handshake(socket: Socket<Dial>, success: boolean, refusal: Error | null) {
    const dial = socket.data
    if (dial.wire) return
    if (success && refusal === null && socket.authorized && dial.hearer) return open(dial, socket)
    fail(dial, 'tls')
    socket.terminate()
  },
  data(socket: Socket<Dial>, bytes: Buffer) {
    const holder = socket.data.wire?.holder
    if (holder) holder.received(bytes)
    else socket.terminate()
  },
  drain(socket: Socket<Dial>) {
    socket.data.wire?.holder?.drained()
  },
  close(socket: Socket<Dial>, error?: Error) {
    const { wire } = socket.data
    if (!wire) return fail(socket.data, 'tls')
    const { holder } = wire
    wire.holder = null
    holder?.closed(error !== undefined)
  },
  error() {
    // A close follows, and that is where it is dealt with.
  },
}

function open(dial: Dial, socket: Socket<Dial>): void {
  const { hearer } = dial
  const wire: Wire = {
    remoteAddress: socket.remoteAddress || null,
    holder: null,
    write: (bytes) => socket.write(bytes),
    end() {
      wire.holder = null
      // Not the runtime's own `end`: behind TLS that waits for the other side, for ever.
      socket.close()
    },
    terminate() {
      wire.holder = null
      socket.terminate()
    },
  }
  dial.wire = wire
  dial.hearer = null
  hearer?.opened(wire)
}

function fail(dial: Dial, fault: ConnectFault): void {
  const { hearer } = dial
  dial.hearer = null
  hearer?.failed(fault)
}
