/** The parts of a call that a node may repeat in an error. */
export type SentCall = {
  method: string
  params: readonly unknown[]
  paramsText: string
}

/** Shorter ones, such as `0x1`, are part of too many words that are the node's own. */
const ECHO_CHARS_MIN = 4
/** Nodes cut long texts off when they repeat them, so the beginning of one is looked for. */
const ECHO_BEGINNING_CHARS = 16
/** Bounds of the search, however much was sent: an error must not cost more than the call. */
const STRINGS_MAX = 256
const VALUES_MAX = 4096
const WORDS_CHARS_MAX = 1000

const NAME = /^\w+$/

/** Stands where something was taken out. No rule has it, and none begins or ends with a gap. */
const TAKEN_OUT = '…'

/**
 * A node's message in lower case without what the caller sent: the method's name and every
 * text in the params, also where the node has cut it off or escaped it. Nodes repeat those,
 * so without this a caller could put any verdict into the node's mouth.
 */
export function withoutEcho(message: string, sent: SentCall): string {
  let words = message.slice(0, WORDS_CHARS_MAX).toLowerCase()
  for (const text of textsIn(sent)) {
    const lower = text.toLowerCase()
    words = without(words, lower)
    const escaped = JSON.stringify(lower).slice(1, -1)
    if (escaped.length !== lower.length) words = without(words, escaped)
  }
  return words
}

/**
 * All that was sent, in lower case. Words of a message that stand anywhere in it are no
 * evidence either: so pieces from the middle of a text, names of members, and texts beyond
 * the bounds of `withoutEcho` are found as well.
 */
export function allSent({ method, params, paramsText }: SentCall): string {
  // Escapes that JSON does not need would hide what is meant.
  const said = paramsText.includes('\\') ? JSON.stringify(params) : paramsText
  return `${method} ${said}`.toLowerCase()
}

function without(words: string, text: string): string {
  const beginning = text.slice(0, ECHO_BEGINNING_CHARS)
  let left = ''
  let from = 0
  for (;;) {
    const at = words.indexOf(beginning, from)
    if (at < 0) return from === 0 ? words : left + words.slice(from)
    let end = at + beginning.length
    while (end < words.length && words[end] === text[end - at]) end++
    left += words.slice(from, at) + TAKEN_OUT
    from = end
  }
}

function textsIn({ method, params }: SentCall): string[] {
  const texts = method.length >= ECHO_CHARS_MIN ? [method] : []
  const left: unknown[] = [params]
  for (let seen = 0; left.length > 0 && seen < VALUES_MAX; seen++) {
    const value = left.pop()
    if (typeof value === 'string') {
      // One that is longer than any message is looked at no further than a message goes.
      if (value.length >= ECHO_CHARS_MIN) texts.push(value.slice(0, WORDS_CHARS_MAX))
      if (texts.length >= STRINGS_MAX) return texts
    } else if (Array.isArray(value)) {
      left.push(...value.slice(0, VALUES_MAX))
    } else if (typeof value === 'object' && value !== null) {
      for (const name in value) {
        if (left.length >= VALUES_MAX) break
        left.push((value as Record<string, unknown>)[name])
        // Names as every call has them, such as `data`, are among the node's own words too.
        if (!NAME.test(name)) left.push(name)
      }
    }
  }
  return texts
}
