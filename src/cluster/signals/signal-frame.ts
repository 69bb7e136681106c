import { parseJson } from '../../core/json/json-value.ts'

export type SignalFrame = { sender: string; messages: readonly SignalMessage[] }

type SignalMessage = [topic: string, text: string]

export type EncodedMessage = { text: string; bytes: number }

type FrameFault = 'oversized' | 'malformed' | 'other_version'

/** PostgreSQL carries up to 8000 bytes at a time. */
export const FRAME_BYTES_MAX = 7000

/** Processes of different versions run side by side during an upgrade. */
const VERSION = 1

/** The sender, and the brackets around it all. */
const HEAD_BYTES_MAX = 100

/** Null when it is too long for any frame. */
export function encodeMessage(topic: string, text: string): EncodedMessage | null {
  // Texts can only get longer, so what is hopeless is not even encoded.
  if (topic.length + text.length > FRAME_BYTES_MAX) return null
  const encoded = JSON.stringify([topic, text] satisfies SignalMessage)
  const bytes = Buffer.byteLength(encoded)
  return bytes > FRAME_BYTES_MAX - HEAD_BYTES_MAX ? null : { text: encoded, bytes }
}

/** All messages in order, in as few frames as hold them. */
export function writeFrames(
  sender: string,
  messages: readonly EncodedMessage[],
): { text: string; messages: number }[] {
  const groups: EncodedMessage[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const message of messages) {
    bytes += message.bytes + 1
    if (bytes > FRAME_BYTES_MAX - HEAD_BYTES_MAX) {
      groups.push([])
      bytes = message.bytes
    }
    groups.at(-1)!.push(message)
  }
  const head = `[${VERSION},${JSON.stringify(sender)}`
  return groups.map((group) => ({
    text: `${head},${group.map(({ text }) => text).join(',')}]`,
    messages: group.length,
  }))
}

/** Others may write to the same channel, so nothing about the text is taken for granted. */
export function readFrame(text: string): SignalFrame | FrameFault {
  if (text.length > FRAME_BYTES_MAX) return 'oversized'
  const parsed = parseJson(text)
  if (!Array.isArray(parsed) || typeof parsed[0] !== 'number') return 'malformed'
  const [version, sender, ...messages] = parsed
  if (version !== VERSION) return 'other_version'
  if (typeof sender !== 'string' || !messages.every(isMessage)) return 'malformed'
  return { sender, messages }
}

function isMessage(message: unknown): message is SignalMessage {
  if (!Array.isArray(message) || message.length !== 2) return false
  return message.every((part) => typeof part === 'string')
}
