import { mayColour } from '../../config/process-environment.ts'
import { type Colours, coloursFor } from './colours.ts'
import { harmlessJson } from './harmless-text.ts'
import { type Column, tableLines } from './table-lines.ts'

/** Where a command says what it found. Results go to standard output, all else to the other. */
export type Terminal = ReturnType<typeof openTerminal>

type Facts = readonly (readonly [name: string, value: string | null | undefined])[]

const COLUMNS_USUAL = 80

export function openTerminal({ json = false }: { json?: boolean }) {
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
    /** True when only JSON is printed, for scripts. */
    isJson: json,
    /** The maximum columns of a line; output to a pipe or a file is not cut. */
    columns,
    colours,
    /** Prints lines of a result. */
    say,
    /** Prints something beside the result, where it does not disturb a pipe. */
    note,
    /** Prints a result: as one JSON document with --json, else as `text` prints it. */
    show: (value: unknown, text: () => void) =>
      json ? say(harmlessJson(JSON.stringify(value, null, 2))) : text(),
    /** Prints one of many results as they come: a line of JSON, or as `text` prints it. */
    stream: (value: unknown, text: () => void) =>
      json ? say(harmlessJson(JSON.stringify(value))) : text(),
    table: <Row>(shown: readonly Column<Row>[], rows: readonly Row[]) =>
      say(...tableLines(shown, rows, { colours, columnsMax: columns })),
    /** The same as `stream` for the rows of one table, below its titles. */
    rows<Row>(shown: readonly Column<Row>[]) {
      let isFirst = true
      return (row: Row, value: unknown = row) => {
        if (json) return say(harmlessJson(JSON.stringify(value)))
        const lines = tableLines(shown, [row], { colours, columnsMax: columns })
        say(...(isFirst ? lines : lines.slice(1)))
        isFirst = false
      }
    },
    /** Prints names and values below each other, without absent values. */
    facts: (facts: Facts) => say(...factLines(facts, colours)),
    json: (value: unknown) => say(jsonText(value, colours)),
    /** Replaces the progress line; null ends it. Shown on a terminal only, and not with --json. */
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

function factLines(facts: Facts, colours: Colours): string[] {
  const told = facts.filter(([, value]) => value !== null && value !== undefined)
  const width = told.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return told.map(([name, value]) => `${colours.dim(name.padEnd(width))}  ${value}`)
}

function progressLine(isShown: boolean) {
  let isOpen = false
  return (line: string | null) => {
    if (!isShown || (line === null && !isOpen)) return
    isOpen = line !== null
    process.stderr.write(`\r\x1b[K${line ?? ''}`)
  }
}
