import { isJsonObject, parseJson } from '../../core/json/json-value.ts'
import { type Colour, type Colours, coloursFor } from '../terminal/colours.ts'
import { countText, shortHash } from '../terminal/formats.ts'

type Line = Readonly<Record<string, unknown>>

/** Calls that went well since the last line about them, by network and name. */
type Calls = { counts: Map<string, Map<string, number>>; lastShownMs: number }

/** Wide enough for `delivery` and for most network ids, so that columns stand below each other. */
const WORD_WIDTH = 9
const SUBJECT_WIDTH = 14

/** Wallets poll many times a second; more often than this nobody can read about it. */
const CALLS_EVERY_MS = 1000

/** Names of one line about calls; the rest is only counted. */
const NAMES_MAX = 6

const VALUE_CHARS_MAX = 200

/** Fields that every line has, or that are shown in a place of their own. */
const PLACED = new Set(['time', 'level', 'event', 'network', 'reason', 'why'])

/**
 * Turns JSON log lines into lines for people: one for each block, delivery and problem. Calls
 * that go well are summed up, since a wallet makes many of them.
 */
export function terminalLog({ colour }: { colour: boolean }): (jsonLines: string) => string {
  const colours = coloursFor(colour)
  const calls: Calls = { counts: new Map(), lastShownMs: Number.NEGATIVE_INFINITY }
  return (jsonLines) => {
    const shown: string[] = []
    for (const text of jsonLines.split('\n')) {
      if (text === '') continue
      const value = parseJson(text)
      const line = isJsonObject(value) ? value : null
      if (line === null) shown.push(printable(text))
      else if (isGoodCall(line)) countCall(calls, line)
      else shown.push(lineFor(colours, line))
      const summary = line && callsLine(colours, calls, line)
      if (summary) shown.push(summary)
    }
    return shown.map((line) => `${line}\n`).join('')
  }
}

function isGoodCall({ event, status, error }: Line): boolean {
  if (event === 'api') return typeof status === 'number' && status < 400
  return event === 'rpc' && status === 200 && error === 0
}

function countCall({ counts }: Calls, line: Line): void {
  const [from, name] =
    line.event === 'api' ? ['api', line.call] : [printable(line.network), line.method]
  const names = counts.get(from) ?? new Map<string, number>()
  counts.set(from, names)
  const key = printable(name)
  names.set(key, (names.get(key) ?? 0) + 1)
}

/** The calls so far, unless some were shown a moment ago: then the next line brings them. */
function callsLine(colours: Colours, calls: Calls, line: Line): string | null {
  const nowMs = Date.parse(String(line.time))
  if (calls.counts.size === 0 || nowMs - calls.lastShownMs < CALLS_EVERY_MS) return null
  const lines = [...calls.counts].map(([from, names]) => {
    const listed = [...names].slice(0, NAMES_MAX).map(([name, times]) => {
      return times === 1 ? name : `${name} ×${times}`
    })
    const more = names.size - listed.length
    if (more > 0) listed.push(`${more} more`)
    return row(colours, line, 'dim', from === 'api' ? ['api', ''] : ['calls', from], listed, ', ')
  })
  calls.counts.clear()
  calls.lastShownMs = nowMs
  return lines.join('\n')
}

function lineFor(colours: Colours, line: Line): string {
  if (line.event === 'block') return blockLine(colours, line)
  if (line.event === 'delivery') return deliveryLine(colours, line)
  if (line.event === 'rpc' || line.event === 'api') return badCallLine(colours, line)
  return otherLine(colours, line)
}

function blockLine(colours: Colours, line: Line): string {
  const { network, number, hash, transactions, deliveries, read_ms, run_ms, commit_ms } = line
  const ms = [read_ms, run_ms, commit_ms].reduce<number>(
    (sum, part) => sum + (Number(part) || 0),
    0,
  )
  const counts = [
    transactions ? countText(Number(transactions), 'transaction') : '',
    deliveries ? countText(Number(deliveries), 'delivery', 'deliveries') : '',
  ]
  const parts = [String(number), shortHash(String(hash)), ...counts, `${Math.round(ms)} ms`]
  return row(colours, line, 'cyan', ['block', network], parts)
}

function deliveryLine(colours: Colours, line: Line): string {
  const { result, network, attempt } = line
  const tint = result === 'delivered' ? 'green' : result === 'retry' ? 'yellow' : 'red'
  const outcome = result === 'give_up' ? 'failed' : result
  const parts = [
    `${outcome}${attempt === 1 ? '' : ` (attempt ${attempt})`}`,
    `${line.fault ?? line.status}`,
    `${line.host}`,
    `${line.webhook}`,
    `#${line.sequence_number}`,
    `${line.bytes} B`,
    `${line.ms} ms`,
  ]
  return row(colours, line, tint, ['delivery', network], parts)
}

function badCallLine(colours: Colours, line: Line): string {
  const { event, network, call, method, status, error, ms } = line
  const isServerError = typeof status === 'number' && status >= 500
  const code = event === 'rpc' && error !== status ? ` error ${error}` : ''
  const words: [unknown, unknown] = event === 'rpc' ? ['call', network] : ['api', '']
  const name = event === 'rpc' ? method || 'refused' : call
  const what = [String(name), `${status}${code}`, `${ms} ms`]
  return row(colours, line, isServerError ? 'red' : 'yellow', words, what)
}

function otherLine(colours: Colours, line: Line): string {
  const { event, level, network, reason, why } = line
  const tint = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'dim'
  const word = level === 'error' ? 'error' : level === 'warn' ? 'warning' : 'info'
  const fields = Object.entries(line).flatMap(([name, value]) =>
    PLACED.has(name) || value === null
      ? []
      : [`${name}=${name === 'hash' ? shortHash(String(value)) : value}`],
  )
  const said = [String(event).replaceAll('_', ' '), reason ?? why].filter(Boolean).join(': ')
  return row(colours, line, tint, [word, network ?? ''], [said, ...fields])
}

function row(
  colours: Colours,
  { time }: Line,
  tint: Colour,
  [word, subject]: [word: unknown, subject: unknown],
  parts: readonly string[],
  between = '  ',
): string {
  const start = colours[tint](printable(word).padEnd(WORD_WIDTH))
  const shown = parts.filter((part) => part !== '').map(printable)
  const about = printable(subject).padEnd(SUBJECT_WIDTH)
  return `${colours.dim(localTime(time))}  ${start} ${about} ${shown.join(between)}`
}

function localTime(time: unknown): string {
  const at = new Date(String(time))
  return Number.isNaN(at.getTime()) ? '--:--:--' : at.toLocaleTimeString('en-GB')
}

/** A host or a node chooses some of these texts: none may steer the terminal. */
function printable(value: unknown): string {
  const text = String(value ?? '')
  const kept = text.length > VALUE_CHARS_MAX ? `${text.slice(0, VALUE_CHARS_MAX)}…` : text
  // Control characters, those of C1 included, and the marks that turn the reading direction.
  return kept.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '?')
}
