import type { Colours } from './colours.ts'
import { digitsOf } from './exact-json.ts'
import { harmlessJson } from './harmless-text.ts'

/** A value as indented JSON in colours, line by line. */
export function jsonLines(value: unknown, colours: Colours): string[] {
  return linesOf(value, '', colours)
}

function linesOf(value: unknown, indent: string, colours: Colours): string[] {
  const digits = digitsOf(value)
  if (digits !== null) return [colours.yellow(digits)]
  if (typeof value === 'string') return [colours.green(quoted(value))]
  if (typeof value !== 'object' || value === null) return [colours.blue(String(value))]
  if (Array.isArray(value)) {
    const items = value.map((item) => linesOf(item, `${indent}  `, colours))
    return enclosed('[', items, ']', indent)
  }
  const members = Object.entries(value).map(([key, item]) => {
    const [first = '', ...rest] = linesOf(item, `${indent}  `, colours)
    return [`${colours.cyan(quoted(key))}: ${first}`, ...rest]
  })
  return enclosed('{', members, '}', indent)
}

function enclosed(
  open: string,
  items: readonly string[][],
  close: string,
  indent: string,
): string[] {
  if (items.length === 0) return [open + close]
  const lines = items.flatMap((item, at) => {
    const comma = at < items.length - 1 ? ',' : ''
    return item.map((line, row) => {
      const begin = row === 0 ? `${indent}  ` : ''
      return `${begin}${line}${row === item.length - 1 ? comma : ''}`
    })
  })
  return [open, ...lines, `${indent}${close}`]
}

function quoted(text: string): string {
  return harmlessJson(JSON.stringify(text))
}
