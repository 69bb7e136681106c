export type ItemKind = 'Address' | 'Bytes32'

export type ItemsSeen = {
  /** Null until the first item, unless it was known before. */
  kind: ItemKind | null
  found: number
  /** Addresses that became values of 32 bytes, as topics have them. */
  padded: number
  strange: number
  samples: readonly string[]
}

/** Separators of lists, CSV and JSON; a line break is told apart, as lines are judged whole. */
const WORD = /[^\s,;:|"'`()[\]{}]+|\n/g
const SEPARATOR = /[\s,;:|"'`()[\]{}]/

const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const BYTES32 = /^0x[0-9a-fA-F]{64}$/

/** A word that goes on for longer is none of ours, however many pieces it comes in. */
const WORD_CHARACTERS_MAX = 200
const SAMPLES_MAX = 3
const SAMPLE_CHARACTERS_MAX = 48

/**
 * Finds the items in a list, a CSV file or lines of JSON that comes in pieces, cut anywhere:
 * whatever stands between separators and has the form of an address or of 32 bytes. `kind` is what
 * the variable holds, if it is known.
 */
export function openItemReader(kind: ItemKind | null) {
  const seen = { kind, found: 0, padded: 0, strange: 0, samples: [] as string[] }
  const line = { number: 1, words: [] as string[], items: 0 }
  let cut = ''

  const strange = (word: string) => {
    seen.strange++
    if (seen.samples.length < SAMPLES_MAX) seen.samples.push(word.slice(0, SAMPLE_CHARACTERS_MAX))
  }

  const read = (word: string): string | null => {
    const found = ADDRESS.test(word) ? 'Address' : BYTES32.test(word) ? 'Bytes32' : null
    if (!found) return null
    seen.kind ??= found
    if (found === seen.kind) return word.toLowerCase()
    if (found === 'Bytes32') return null
    seen.padded++
    return `0x${'0'.repeat(24)}${word.slice(2).toLowerCase()}`
  }

  const endLine = () => {
    // One word alone in a line was meant as an item; the first line may be a heading.
    const [word, more] = line.items === 0 ? line.words : []
    if (word !== undefined && more === undefined && line.number > 1) strange(word)
    Object.assign(line, { number: line.number + 1, words: [], items: 0 })
  }

  const take = (text: string): string[] => {
    const items: string[] = []
    for (const [word] of text.matchAll(WORD)) {
      if (word === '\n') {
        endLine()
        continue
      }
      const item = read(word)
      if (item !== null) {
        items.push(item)
        seen.found++
        line.items++
      } else if (word.startsWith('0x')) strange(word)
      else if (line.items === 0 && line.words.length < 2) line.words.push(word)
    }
    return items
  }

  return {
    push(text: string): string[] {
      const whole = cut + text
      let end = whole.length
      while (end > 0 && !SEPARATOR.test(whole[end - 1] ?? '')) end--
      cut = whole.slice(end, end + WORD_CHARACTERS_MAX)
      return take(whole.slice(0, end))
    },
    /** The item that the end may have cut off from its line. */
    finish(): string[] {
      const items = take(`${cut}\n`)
      cut = ''
      return items
    },
    seen: (): ItemsSeen => ({ ...seen }),
  }
}
