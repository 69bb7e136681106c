import { mayColour } from '../../config/read-client-environment.ts'
import { type Colours, coloursFor } from './colours.ts'
import { harmlessJson } from './harmless-text.ts'
import { type Column, tableLines } from './table-lines.ts'

/** Where a command says what it found. Results go to standard output, all else to the other. */
export type Terminal = {
  /** JSON alone is printed, for scripts. */
  isJson: boolean
  /** How many columns a line may have; a pipe or a file is not cut to a width. */
  columns: number
  colours: Colours
  /** Prints lines of a result. */
  say(...lines: string[]): void
  /** Tells something beside the result, where it does not disturb a pipe. */
  note(...lines: string[]): void
  /** Prints a result: as one JSON document where that is asked for, else as `text` says it. */
  show(value: unknown, text: () => void): void
  /** Prints one of many results as they come: a line of JSON, or as `text` says it. */
  stream(value: unknown, text: () => void): void
  /** The same for results that are the rows of one table, below its titles. */
  rows<Row>(columns: readonly Column<Row>[]): (row: Row, value?: unknown) => void
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): void
  /** Names and values under each other; absent values are left out. */
  facts(facts: readonly (readonly [name: string, value: string | null | undefined])[]): void
  json(value: unknown): void
  /** Replaces the line of progress; null ends it. Nothing is shown where nobody watches. */
  progress(line: string | null): void
}

const COLUMNS_USUAL = 80

export function openTerminal({ json = false }: { json?: boolean }): Terminal {
  const isInteractive = process.stdout.isTTY === true
  const colours = coloursFor(isInteractive && !json && mayColour())
  const columns = isInteractive ? process.stdout.columns || COLUMNS_USUAL : Number.MAX_SAFE_INTEGER
  process.stdout.on('error', endWithReader)
  const say = (...lines: string[]) => {
    try {
      process.stdout.write(`${lines.join('\n')}\n`)
    } catch (thrown) {
      endWithReader(thrown)
    }
  }
  const note = (...lines: string[]) => void process.stderr.write(`${lines.join('\n')}\n`)
  return {
    isJson: json,
    columns,
    colours,
    say,
    note,
    show: (value, text) => (json ? say(harmlessJson(JSON.stringify(value, null, 2))) : text()),
    stream: (value, text) => (json ? say(harmlessJson(JSON.stringify(value))) : text()),
    table: (shown, rows) => say(...tableLines(shown, rows, { colours, columnsMax: columns })),
    rows(shown) {
      let isFirst = true
      return (row, value = row) => {
        if (json) return say(harmlessJson(JSON.stringify(value)))
        const lines = tableLines(shown, [row], { colours, columnsMax: columns })
        say(...(isFirst ? lines : lines.slice(1)))
        isFirst = false
      }
    },
    facts: (facts) => say(...factLines(facts, colours)),
    json: (value) => say(jsonText(value, colours)),
    progress: progressLine(process.stderr.isTTY === true && !json),
  }
}

export function jsonText(value: unknown, colours: Colours): string {
  const tokens = /("(?:[^"\\]|\\.)*")(:?)|-?\d[\d.eE+-]*|true|false|null/g
  const json = harmlessJson(JSON.stringify(value, null, 2))
  return json.replace(tokens, (token, text: string | undefined, colon: string) => {
    if (text !== undefined) return colon ? `${colours.cyan(text)}:` : colours.green(text)
    return /^[tfn]/.test(token) ? colours.blue(token) : colours.yellow(token)
  })
}

/** A reader such as `head` has had enough: that is no failure, and nobody is left to hear. */
function endWithReader(thrown: unknown): never {
  if ((thrown as { code?: string }).code === 'EPIPE') process.exit(0)
  throw thrown
}

function factLines(facts: Parameters<Terminal['facts']>[0], colours: Colours): string[] {
  const told = facts.filter(([, value]) => value !== null && value !== undefined)
  const width = told.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return told.map(([name, value]) => `${colours.dim(name.padEnd(width))}  ${value}`)
}

function progressLine(isShown: boolean): Terminal['progress'] {
  let isOpen = false
  return (line) => {
    if (!isShown || (line === null && !isOpen)) return
    isOpen = line !== null
    process.stderr.write(`\r\x1b[K${line ?? ''}`)
  }
}
