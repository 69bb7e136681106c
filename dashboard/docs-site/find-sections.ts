export type DocsSection = readonly [path: string, page: string, heading: string, text: string]

export type FoundSection = { section: DocsSection; score: number; excerpt: string }

const FOUND_MAX = 12

const EXCERPT_BEFORE = 40
const EXCERPT_LENGTH = 140

const WEIGHTS = { heading: 12, page: 6, text: 1 } as const

const MATCHES = { word: 3, beginning: 2, middle: 1 } as const

/** The sections that have all words of a question, the best first. */
export function findSections(sections: readonly DocsSection[], asked: string): FoundSection[] {
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return sections
    .map((section) => ({ section, score: scoreOf(section, words), excerpt: '' }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND_MAX)
    .map((found) => ({ ...found, excerpt: excerptOf(found.section[3], words) }))
}

/** Zero where a word is nowhere. */
function scoreOf([, page, heading, text]: DocsSection, words: readonly string[]): number {
  let score = 0
  for (const word of words) {
    const found =
      WEIGHTS.heading * matchOf(heading, word) +
      WEIGHTS.page * matchOf(page, word) +
      WEIGHTS.text * matchOf(text, word)
    if (found === 0) return 0
    score += found
  }
  return score
}

function matchOf(text: string, word: string): number {
  const where = text.toLowerCase()
  let best = 0
  for (let at = where.indexOf(word); at !== -1; at = where.indexOf(word, at + 1)) {
    const begins = !isWordPart(where[at - 1])
    const ends = !isWordPart(where[at + word.length])
    if (begins && ends) return MATCHES.word
    best = Math.max(best, begins ? MATCHES.beginning : MATCHES.middle)
  }
  return best
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}]/u.test(character)
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1)
  const from = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE)
  const cut = places.length === 0 ? 0 : from
  const excerpt = text.slice(cut, cut + EXCERPT_LENGTH)
  return `${cut > 0 ? '…' : ''}${excerpt}${cut + EXCERPT_LENGTH < text.length ? '…' : ''}`
}
