/** One thing that a reader of a guide does, at a line of it. */
export type GuideStep = {
  line: number
  /** The heading that it stands under. */
  heading: string
} & (
  | {
      kind: 'run'
      commands: string
      /** The reader lets it run in a terminal of its own. */
      isLeftRunning: boolean
      /** The reader looks again until it is as shown. */
      isAwaited: boolean
      shown: Shown | null
    }
  | { kind: 'write'; file: string; text: string }
  | { kind: 'interrupt' }
)

/** Output as the guide shows it. */
export type Shown = { language: 'text' | 'json'; text: string }

type Block = { line: number; language: string; text: string }
type Paragraph = { line: number; text: string }
type Part = ({ kind: 'block' } & Block) | ({ kind: 'prose' } & Paragraph)

const FENCE = /^( *)```(\w*)$/
const LEFT_RUNNING = /leave it running/i
const AWAITED = /a moment later|after a moment/i
const INTERRUPT = /\bCtrl-C\b/
const WRITTEN = /as `([\w./-]+)`:$/

/**
 * Reads a guide as its reader does: `sh` blocks are typed in, and a `text` or `json` block right
 * behind one is its output. A few words of the prose before a block count:
 *
 * - "leave it running": the block goes on in a terminal of its own.
 * - "a moment later", "after a moment": the block is repeated until its output is as shown.
 * - "… as `name`:": the block is the text of that file.
 * - "Ctrl-C" ends the terminal that was opened last.
 */
export function guideSteps(markdown: string): GuideStep[] {
  const parts = partsOf(markdown)
  let heading = ''
  return parts.flatMap((part, at): GuideStep[] => {
    if (part.kind === 'prose') {
      heading = /^#+ (.+)$/m.exec(part.text)?.[1] ?? heading
      return INTERRUPT.test(part.text) ? [{ kind: 'interrupt', line: part.line, heading }] : []
    }
    const before = proseBefore(parts, at)
    const place = { line: part.line, heading }
    const file = WRITTEN.exec(before)?.[1]
    if (file !== undefined) return [{ kind: 'write', ...place, file, text: part.text }]
    if (part.language !== 'sh') return []
    const next = parts[at + 1]
    const shown = next?.kind === 'block' ? shownBy(next) : null
    const isLeftRunning = LEFT_RUNNING.test(before)
    const isAwaited = AWAITED.test(before)
    return [{ kind: 'run', ...place, commands: part.text, isLeftRunning, isAwaited, shown }]
  })
}

function shownBy({ language, text }: Block): Shown | null {
  return language === 'text' || language === 'json' ? { language, text } : null
}

/** The paragraph that a block belongs to, in one line. */
function proseBefore(parts: readonly Part[], at: number): string {
  const before = parts[at - 1]
  return before?.kind === 'prose' ? before.text.replace(/\s+/g, ' ').trim() : ''
}

/** Blocks of code and paragraphs, in order. Comments of the Markdown are neither. */
function partsOf(markdown: string): Part[] {
  const parts: Part[] = []
  let open: (Block & { indent: string }) | null = null
  for (const [index, line] of markdown
    .replace(/<!--[\s\S]*?-->/g, '')
    .split('\n')
    .entries()) {
    const fence = FENCE.exec(line)
    if (open && line.trim() === '```') {
      parts.push({ kind: 'block', line: open.line, language: open.language, text: open.text })
      open = null
    } else if (open) {
      open.text += `${line.startsWith(open.indent) ? line.slice(open.indent.length) : line}\n`
    } else if (fence) {
      open = { line: index + 1, language: fence[2] ?? '', text: '', indent: fence[1] ?? '' }
    } else {
      addProse(parts, line, index + 1)
    }
  }
  if (open) throw new Error(`the block of line ${open.line} has no end`)
  return parts.filter((part) => part.kind === 'block' || part.text.trim() !== '')
}

/** Adds a line to the paragraph that it goes on with, or begins another. */
function addProse(parts: Part[], line: string, number: number): void {
  const last = parts.at(-1)
  const goesOn = last?.kind === 'prose' && last.text !== '' && line.trim() !== ''
  if (goesOn && !/^#/.test(line) && !/^#/.test(last.text)) last.text += `\n${line}`
  else if (line.trim() !== '') parts.push({ kind: 'prose', line: number, text: line })
  else if (last?.kind === 'prose') parts.push({ kind: 'prose', line: number, text: '' })
}
