import { rawElements, rawMembers } from '../../json/json-scan.ts'
import type { NetworkKind } from '../../network.ts'

/** No answer of a node nests as deep; what does is compared letter by letter. */
const DEPTH_MAX = 24

const HEX = /^0x[0-9a-fA-F]*$/

/**
 * A text that is the same for two results that mean the same: hex in one case, members in one
 * order, no space between, letters unescaped. Numbers keep all their digits, for many are larger
 * than a double holds. The text must be JSON.
 *
 * On Solana a result of the form `{context, value}` means its value: nodes that stand at
 * different slots may well agree on it.
 */
export function answerMeaning(kind: NetworkKind, text: string): string {
  return meaningOf(kind === 'solana' ? (valueInContext(text)?.value ?? text) : text, 0)
}

/** The slot that a Solana node's result is of; null where it tells none. */
export function contextSlot(text: string): string | null {
  const context = valueInContext(text)?.context
  if (context === undefined || !isObject(context)) return null
  return rawMembers(context).get('slot') ?? null
}

/** The meaning of a node's error: its data, as of a revert. Each client has words of its own. */
export function errorMeaning(text: string): string {
  const data = isObject(text) ? rawMembers(text).get('data') : undefined
  return data === undefined ? 'error' : `error ${meaningOf(data, 0)}`
}

function valueInContext(text: string): { context: string; value: string } | null {
  if (!isObject(text)) return null
  const members = rawMembers(text)
  const context = members.get('context')
  const value = members.get('value')
  const isPair = context !== undefined && value !== undefined && members.size === 2
  return isPair ? { context, value } : null
}

function meaningOf(text: string, depth: number): string {
  const first = text.trimStart()[0]
  if (first === '"') return textMeaning(text)
  if ((first !== '{' && first !== '[') || depth >= DEPTH_MAX) return text.trim()
  if (first === '[') {
    return `[${rawElements(text).map((element) => meaningOf(element, depth + 1))}]`
  }
  const members = [...rawMembers(text)].sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = members.map(([name, value]) => [JSON.stringify(name), meaningOf(value, depth + 1)])
  return `{${texts.map((pair) => pair.join(':'))}}`
}

function textMeaning(raw: string): string {
  const value = JSON.parse(raw) as string
  return JSON.stringify(HEX.test(value) ? value.toLowerCase() : value)
}

function isObject(text: string): boolean {
  return text.trimStart().startsWith('{')
}
