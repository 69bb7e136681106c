/** The text with `$1`, `$2` … between its parts. */
export function numberedText(parts: readonly string[]): string {
  let text = parts[0] ?? ''
  for (let number = 1; number < parts.length; number++) text += `$${number}${parts[number]}`
  return text
}
