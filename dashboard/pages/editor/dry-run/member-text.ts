const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g

/**
 * The text of one member of an object that is the whole of a JSON text, as it stands there: its
 * numbers may have more digits than a script can hold.
 */
export function memberText(text: string, name: string): string {
  let depth = 0
  let start = -1
  let key = ''
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (start === -1 && depth === 1 && token === ':' && key === `"${name}"`) start = index + 1
    if (depth === 1 && (token === ',' || token === '}') && start !== -1) {
      return text.slice(start, index).trim()
    }
    if (depth === 1 && token.startsWith('"')) key = token
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
  }
  return ''
}
