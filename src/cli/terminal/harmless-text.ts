/**
 * Characters that act on a terminal or on the order of what it shows: controls, marks of
 * direction, and others without a width; line breaks and tabs are judged by the caller.
 */
const ACTING = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029\u115f\u1160\u3164\uffa0]/gu

/** A joiner holds the parts of one picture together, and acts on nothing else. */
const JOINER = '\u200d'

/**
 * Text of others as it may be shown: each character that could move the cursor, hide something or
 * turn it around stands as its code. Line breaks and tabs stay.
 */
export function harmlessText(text: string): string {
  return text.replace(ACTING, (character) =>
    character === '\n' || character === '\t' || character === JOINER
      ? character
      : codeOf(character),
  )
}

export function harmlessLine(text: string): string {
  return harmlessText(text).replace(/[\n\t]/g, ' ')
}

/** The text of a JSON document with the same characters as escapes, which mean the same. */
export function harmlessJson(json: string): string {
  return json.replace(ACTING, (character) => (character === '\n' ? character : escaped(character)))
}

/** How many columns a terminal takes for text without colours. */
export function columnsOf(text: string): number {
  return Bun.stringWidth(text, { countAnsiEscapeCodes: true })
}

export function cutText(text: string, columnsMax: number): string {
  if (columnsOf(text) <= columnsMax) return text
  let kept = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (columnsOf(`${kept}${segment}…`) > columnsMax) break
    kept += segment
  }
  return `${kept}…`
}

function codeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 256 ? `\\x${hex(code, 2)}` : `\\u{${hex(code, 4)}}`
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('')
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0')
}
