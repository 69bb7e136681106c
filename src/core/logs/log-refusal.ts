import { quantityToNumber } from '../hex.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { NodeError } from '../rpc/node-reply.ts'

/**
 * The reason why a node does not answer a piece that it would answer in parts: too many blocks,
 * too many addresses or topics, too many logs, too many bytes, or too long.
 */
export type LogRefusal = {
  kind: 'range' | 'keys' | 'count' | 'size' | 'time'
  /** The number of blocks that would do, by the node's own words; null: it does not say. */
  blocks: number | null
}

type Rule = { kind: LogRefusal['kind']; says: RegExp }

/** Words that sound like a refusal of the range and are about something else. */
const OTHER =
  /rate.?limit|requests? per|too many requests|invalid block range|(beyond|ahead of|after|greater than) .{0,20}?(head|latest|current|last)|future/

/** First match wins: messages about size or count advise a block range as well. */
const RULES: readonly Rule[] = [
  { kind: 'time', says: /time.?out|timed out|deadline|took too long|too slow/ },
  { kind: 'keys', says: /(too many|max\w*|exceed\w*|limit\w*) .{0,30}?(addresses|topics)/ },
  {
    kind: 'size',
    says: /response .{0,20}?(size|too|large|big)|size .{0,10}?exceed|too big|payload too large/,
  },
  {
    kind: 'count',
    says: /more than [\d,]+ (results|logs|events)|too many (results|logs|events)|max\w* .{0,10}?(results|logs)|\b(results|logs) .{0,30}?(exceed|limit)/,
  },
  {
    kind: 'range',
    says: /block range|blocks range|ranges? .{0,60}?(large|wide|exceed|limit|max|over|not supported)|(exceed\w*|limited|max\w*|over|large|wide) .{0,40}?(range|blocks)|too many blocks|smaller than size/,
  },
]

/** Codes that EIP-1474 and its followers give to answers that would be too long. */
const LIMIT_CODES: readonly number[] = [-32005, -32602, -32000]

const SUGGESTED = /\[?(0x[0-9a-f]+|\d+)\]?\s*(?:,|-|to)\s*\[?(0x[0-9a-f]+|\d+)\]?/

const LIMIT =
  /(?:limit\w*|max\w*|up to|over|more than|greater than|exceeds?|smaller than)[^\d]{0,40}?(\d[\d,]*)\s?(k\b)?/

/**
 * The refusal in a node's error to a piece of so many blocks; null when it is about something
 * else. Only for filters without free text: nodes repeat what they are sent.
 */
export function logRefusal(error: NodeError, blocks: number): LogRefusal | null {
  const words = error.message.toLowerCase()
  if (OTHER.test(words)) return null
  const kind = RULES.find(({ says }) => says.test(words))?.kind ?? byCode(error.code, words)
  if (kind === null) return null
  const advised = suggestedBlocks(words) ?? suggestedInData(error.text)
  const said = advised ?? (kind === 'range' ? limitIn(words) : null)
  return { kind, blocks: said !== null && said >= 1 && said < blocks ? said : null }
}

function byCode(code: number, words: string): LogRefusal['kind'] | null {
  return LIMIT_CODES.includes(code) && /^.{0,20}limit exceeded.?$/.test(words) ? 'count' : null
}

/** Such as "try with this block range [0x10, 0x2f]" or "retry with the range 16-47". */
function suggestedBlocks(words: string): number | null {
  const at = Math.max(words.indexOf('this block range'), words.indexOf('with the range'))
  const found = at < 0 ? null : SUGGESTED.exec(words.slice(at))
  return found ? length(found[1], found[2]) : null
}

/** Some say it in the error's data, as `{from, to, limit}`. */
function suggestedInData(errorText: string): number | null {
  try {
    const { data } = JSON.parse(errorText) as { data?: unknown }
    return isJsonObject(data) ? length(data.from, data.to) : null
  } catch {
    return null
  }
}

function length(from: unknown, to: unknown): number | null {
  const [first, last] = [heightIn(from), heightIn(to)]
  return first === null || last === null || last < first ? null : last - first + 1
}

function heightIn(value: unknown): number | null {
  if (typeof value !== 'string' || value.startsWith('0x')) return quantityToNumber(value)
  const height = Number(value)
  return Number.isSafeInteger(height) ? height : null
}

function limitIn(words: string): number | null {
  const found = LIMIT.exec(words)
  if (!found) return null
  const number = Number((found[1] ?? '').replaceAll(',', '')) * (found[2] ? 1000 : 1)
  return Number.isSafeInteger(number) ? number : null
}
