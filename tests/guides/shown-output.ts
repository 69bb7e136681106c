import type { Shown } from './guide-steps.ts'

/** Stands in a guide for whatever is left out, in a line or as a line. */
const LEFT_OUT = '…'

/** Parts of an output that differ from run to run, and what stands for them. */
const MASKS: readonly [RegExp, string][] = [
  [/just now|\d+ (?:s|min|h) ago/g, 'AGO'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\b(wh|whevt|whsec|app|team|req|tok|rep)_\w+/g, '$1_ID'],
  [/0x[0-9a-f]+(?:…[0-9a-f]+)?/gi, '0xHEX'],
  [/(?:localhost|127\.0\.0\.1):\d+/g, 'HOST'],
  [/\b(?=[a-z0-9]*\d)[a-z0-9]{24,64}\b/g, 'KEY'],
  [/\d[\d,.]*/g, 'N'],
  [/[ \t]+/g, ' '],
]

/** Says how an output differs from what a guide shows; null when it does not. */
export function differenceOf(output: string, shown: Shown): string | null {
  const isSame =
    shown.language === 'json' && !shown.text.includes(LEFT_OUT)
      ? sameJson(parsed(output), parsed(shown.text))
      : sameLines(linesOf(output), linesOf(shown.text))
  return isSame ? null : `The guide shows\n${shown.text}\nand the output is\n${output}`
}

export function masked(text: string): string {
  return MASKS.reduce((sofar, [pattern, word]) => sofar.replace(pattern, word), text)
}

function linesOf(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => masked(line).trimEnd())
}

/** True when each shown line stands in the output, in order, and nothing is between them. */
function sameLines(output: readonly string[], shown: readonly string[]): boolean {
  const [line, ...rest] = shown
  if (line === undefined) return output.length === 0
  if (line.trim() === LEFT_OUT) {
    return output.concat('').some((_, at) => sameLines(output.slice(at), rest))
  }
  const [first, ...others] = output
  return first !== undefined && sameLine(first, line) && sameLines(others, rest)
}

function sameLine(output: string, shown: string): boolean {
  const pieces = shown.split(LEFT_OUT).map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pieces.join('.*')}$`).test(output)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** True for values of one shape: the same members in the same order, and texts that mask alike. */
function sameJson(output: unknown, shown: unknown): boolean {
  if (Array.isArray(shown)) {
    if (!Array.isArray(output) || output.length < shown.length) return false
    return shown.every((item, at) => sameJson(output[at], item))
  }
  if (typeof shown === 'object' && shown !== null) {
    if (typeof output !== 'object' || output === null) return false
    const mine = output as Record<string, unknown>
    if (Object.keys(mine).join() !== Object.keys(shown).join()) return false
    return Object.entries(shown).every(([name, value]) => sameJson(mine[name], value))
  }
  if (typeof shown === 'number') return typeof output === 'number'
  if (typeof shown === 'string' && typeof output === 'string') {
    return masked(output) === masked(shown)
  }
  return output === shown
}
