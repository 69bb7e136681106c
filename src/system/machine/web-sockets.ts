import type {
  Socket,
  SocketEnd,
  SocketListener,
  SocketRequest,
  Sockets,
} from '../../ports/sockets.ts'

/** Client WebSockets of the runtime. They obey no proxy and follow no redirect. */
export function openWebSockets(): Sockets {
  return { open: openWebSocket }
}

function openWebSocket(request: SocketRequest, listener: SocketListener): Socket {
  let socket: WebSocket | null = null
  let opened = false
  let over = false

  const end = (reason: SocketEnd) => {
    if (over) return
    over = true
    queueMicrotask(() => listener.closed(reason))
    // A proper goodbye would wait for a server that may have vanished.
    socket?.terminate()
  }

  socket = connected(request)
  if (socket === null) {
    end('unreachable')
  } else {
    socket.onopen = () => {
      if (over) return
      opened = true
      listener.opened()
    }
    socket.onmessage = ({ data }: MessageEvent<string | Buffer>) => {
      if (over) return
      // The runtime hands messages over whole, so this bounds what is read, not what has come in.
      if (data.length > request.messageCharsMax) end('message_too_large')
      else if (typeof data === 'string') listener.received(data)
    }
    // The runtime's message names the address, which may be a secret, so nobody is told it.
    socket.onerror = () => {}
    socket.onclose = () => end(opened ? 'lost' : 'unreachable')
  }

  return {
    send(text) {
      if (opened && !over) socket?.send(text)
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
