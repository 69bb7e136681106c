import { isHash32 } from '../../hex.ts'
import { isJsonObject } from '../../json/json-value.ts'

/** Word that an upstream took a transaction which an app had sent. */
export type SentNote = {
  app: string
  hash: string
  upstream: string
  /** When it was sent, in ms since 1970. */
  sentAtMs: number
  /** The transaction itself, to be sent again if it gets lost; null where it is too long. */
  raw: string | null
}

/** Longer ones, as those with blobs, are not kept for a second time. */
const RAW_CHARS_MAX = 4096

export function keptRaw(raw: unknown): string | null {
  return typeof raw === 'string' && raw.length <= RAW_CHARS_MAX ? raw : null
}

/** The note in a message of another process; null where it is none. */
export function readSentNote(value: unknown): SentNote | null {
  if (!isJsonObject(value)) return null
  const { app, hash, upstream, sentAtMs, raw } = value
  if (typeof app !== 'string' || typeof upstream !== 'string' || !isHash32(hash)) return null
  if (typeof sentAtMs !== 'number' || !Number.isSafeInteger(sentAtMs)) return null
  if (raw !== null && keptRaw(raw) === null) return null
  return { app, hash, upstream, sentAtMs, raw: keptRaw(raw) }
}
