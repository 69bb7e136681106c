import { rawElements, rawMembers } from './json-scan.ts'

/**
 * One text for equal JSON, whatever the order of members and the white space, with every digit
 * of its numbers. `text` must be JSON that nests a few hundred levels at most.
 */
export function canonicalText(text: string): string {
  const first = text[0]
  if (first === '[') return `[${rawElements(text).map(canonicalText).join()}]`
  if (first === '"') return JSON.stringify(JSON.parse(text))
  if (first !== '{') return text
  const members = [...rawMembers(text)].sort(([a], [b]) => (a < b ? -1 : 1))
  const texts = members.map(([name, value]) => `${JSON.stringify(name)}:${canonicalText(value)}`)
  return `{${texts.join()}}`
}
