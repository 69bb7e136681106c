import type { StreamClient } from '../../edge/client.ts'

export type StreamEnd = 'left' | 'slow' | 'revoked' | 'stopped'

export type EventStream = ReturnType<typeof openEventStream>

/** More than a client is sent at once; one that takes nothing is cut before it holds much. */
const UNREAD_CHARS_MAX = 384 * 1024

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // Proxies such as nginx would hold events back until a buffer is full.
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
} as const

/** Pulled by the client: what it has not taken waits here, and nowhere else. */
export function openEventStream(client: StreamClient, over: (end: StreamEnd) => void) {
  const encoder = new TextEncoder()
  let unread = ''
  let isOver = false
  let wake: (() => void) | null = null

  const finish = (end: StreamEnd) => {
    if (isOver) return
    isOver = true
    wake?.()
    over(end)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (unread === '' && !isOver) await new Promise<void>((resolve) => (wake = resolve))
        wake = null
        const text = unread
        unread = ''
        if (text !== '') controller.enqueue(encoder.encode(text))
        else controller.close()
      },
      cancel: () => finish('left'),
    },
    { highWaterMark: 0 },
  )

  client.hold()
  return {
    response: new Response(body, { headers: HEADERS }),
    /** Ends the stream when the client leaves too much unread. */
    send(text: string) {
      if (isOver) return
      if (unread.length + text.length > UNREAD_CHARS_MAX) {
        unread = ''
        finish('slow')
        return client.cut()
      }
      unread += text
      wake?.()
    },
    end: finish,
  }
}
