import { isHash32, quantityToNumber } from '../hex.ts'
import { rawElements } from '../json/json-scan.ts'
import { isJsonObject } from '../json/json-value.ts'
import type { BlockRange } from './log-filter.ts'

export type LogMark = { block: number; index: number; blockHash: string }

/** Logs in order, as a node's own text: what stands between the brackets of its list. */
export type LogList = { text: string; marks: readonly LogMark[] }

export const NO_LOGS: LogList = { text: '', marks: [] }

/** Reads a node's list of logs; null for what is none, or speaks of other blocks than asked. */
export function readLogList(text: string, value: unknown, range: BlockRange): LogList | null {
  if (!Array.isArray(value)) return null
  const marks: LogMark[] = []
  for (const log of value as unknown[]) {
    const mark = markOf(log)
    if (!mark || mark.block < range.from || mark.block > range.to) return null
    marks.push(mark)
  }
  if (marks.length === 0) return NO_LOGS
  const isInOrder = marks.every((mark, at) => {
    const before = marks[at - 1]
    return before === undefined || inOrder(before, mark) <= 0
  })
  return isInOrder ? { text: inner(text), marks } : sorted([{ text: inner(text), marks }])
}

/** The logs of lists that may overlap, in order, each log once. */
export function mergeLogLists(lists: readonly LogList[]): LogList {
  const filled = lists.filter(({ marks }) => marks.length > 0)
  const [only] = filled
  if (only === undefined) return NO_LOGS
  return filled.length === 1 ? only : sorted(filled)
}

export function joinLogTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(',')
}

export function sameLogs(one: LogList, other: LogList): boolean {
  return one.marks.length === other.marks.length && missingIn(other, one).length === 0
}

/** The logs of one list that another lacks. */
export function missingIn(other: LogList, one: LogList): LogMark[] {
  const known = new Set(other.marks.map(keyOf))
  return one.marks.filter((mark) => !known.has(keyOf(mark)))
}

export function keepLogs(list: LogList, isKept: (mark: LogMark) => boolean): LogList {
  const texts = rawElements(`[${list.text}]`)
  const kept = texts.filter((_, at) => list.marks[at] !== undefined && isKept(list.marks[at]))
  return { text: kept.join(), marks: list.marks.filter(isKept) }
}

function keyOf({ block, index, blockHash }: LogMark): string {
  return `${block} ${index} ${blockHash}`
}

function sorted(lists: readonly LogList[]): LogList {
  const logs = lists.flatMap(({ text, marks }) => {
    const texts = rawElements(`[${text}]`)
    return marks.map((mark, at) => ({ mark, text: texts[at] ?? '' }))
  })
  logs.sort((a, b) => inOrder(a.mark, b.mark))
  // Two lists may hold the same log; one list may hold a log's number twice, on some chains.
  const seen = new Set<string>()
  const once = logs.filter(({ mark, text }) => {
    const key = `${keyOf(mark)} ${text}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
  return { text: once.map(({ text }) => text).join(), marks: once.map(({ mark }) => mark) }
}

function inOrder(a: LogMark, b: LogMark): number {
  return a.block - b.block || a.index - b.index
}

function inner(text: string): string {
  return text.slice(text.indexOf('[') + 1, text.lastIndexOf(']'))
}

function markOf(log: unknown): LogMark | null {
  if (!isJsonObject(log) || !isHash32(log.blockHash)) return null
  const block = quantityToNumber(log.blockNumber)
  const index = quantityToNumber(log.logIndex)
  if (block === null || index === null) return null
  return { block, index, blockHash: log.blockHash.toLowerCase() }
}
