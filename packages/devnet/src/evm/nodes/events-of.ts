import type { DevnetNodeChange } from '../../devnet-control.ts'

/** The listener of the events of one socket. */
export type NodeEvents = { send(text: string): void }

type Waiting = { height: number; text: string }

/** A node that lags so far behind has long been left by its listeners. */
const WAITING_MAX = 256

/** Passes events on as the node behaves now: late, without logs, or not at all. */
export function eventsOf(
  behaviourNow: () => DevnetNodeChange,
  send: (text: string) => void,
): NodeEvents {
  let waiting: Waiting[] = []
  return {
    send(text) {
      const { behaviour, blocks } = behaviourNow()
      if (behaviour === 'honest') return send(text)
      if (behaviour === 'hang' || behaviour === 'fail') return
      const { height, isLog } = readEvent(text)
      if (behaviour === 'lie') return isLog ? undefined : send(text)
      if (height === null) return send(text)
      waiting.push({ height, text })
      if (waiting.length > WAITING_MAX) waiting.shift()
      const last = height - blocks
      for (const event of waiting) if (event.height <= last) send(event.text)
      waiting = waiting.filter((event) => event.height > last)
    },
  }
}

/** The height of a block or log that an event tells of; null for a pending transaction. */
function readEvent(text: string): { height: number | null; isLog: boolean } {
  const { result } = JSON.parse(text).params
  if (typeof result !== 'object' || result === null) return { height: null, isLog: false }
  const { number, blockNumber, topics } = result
  const height = blockNumber ?? number
  return {
    height: typeof height === 'string' ? Number(height) : null,
    isLog: Array.isArray(topics),
  }
}
