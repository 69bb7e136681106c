import type {
  Socket,
  SocketEnd,
  SocketHearer,
  SocketRequest,
  Sockets,
} from '../../ports/sockets.ts'

/**
 * Many times the longest header of any chain; who expects more says so. The runtime hands
 * messages over whole, so this bounds what is read, not what has come in.
 */
const MESSAGE_CHARS_MAX = 1024 * 1024

/** Client WebSockets of the runtime. They obey no proxy and follow no redirect. */
export function openWebSockets(): Sockets {
  return { open: openWebSocket }
}

function openWebSocket(request: SocketRequest, hearer: SocketHearer): Socket {
  const { messageCharsMax = MESSAGE_CHARS_MAX } = request
  let wire: WebSocket | null = null
  let opened = false
  let over = false

  const end = (reason: SocketEnd) => {
    if (over) return
    over = true
    queueMicrotask(() => hearer.closed(reason))
    // A proper goodbye would wait for a server that may have vanished.
    wire?.terminate()
  }

  wire = connected(request)
  if (wire === null) {
    end('unreachable')
  } else {
    wire.onopen = () => {
      if (over) return
      opened = true
      hearer.opened()
    }
    wire.onmessage = ({ data }: MessageEvent<string | Buffer>) => {
      if (over) return
      if (data.length > messageCharsMax) end('message_too_large')
      else if (typeof data === 'string') hearer.heard(data)
    }
    // The runtime's message names the address, which may be a secret, so nobody is told it.
    wire.onerror = () => {}
    wire.onclose = () => end(opened ? 'lost' : 'unreachable')
  }

  return {
    send(text) {
      if (opened && !over) wire?.send(text)
    },
    close: () => end('closed'),
  }
}

/** Null when the runtime refuses the address or a header. */
function connected({ url, headers }: SocketRequest): WebSocket | null {
  try {
    // Packed, a few bytes can stand for many megabytes.
    return new WebSocket(url, { headers: { ...headers }, perMessageDeflate: false })
  } catch {
    return null
  }
}
