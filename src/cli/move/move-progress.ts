type Progress = {
  step: 'copy' | 'check'
  table: string
  rows: number
  rowsMax: number | null
  isDone: boolean
  allRows: number
  allRowsMax: number | null
  elapsedMs: number
}

type Moved = { rows: Readonly<Record<string, number>>; elapsedMs: number }

type Screen = {
  /** A terminal shows one line that changes; a file gets a line now and then. */
  isTerminal: boolean
  write(text: string): void
}

const SHOW_EVERY_MS = { terminal: 200, file: 5000 }

const DOING = { copy: 'copying', check: 'comparing' }
const DONE = { copy: 'copied', check: 'equal' }

/** Tells people how a move goes. */
export function moveProgress({ isTerminal, write }: Screen): (progress: Progress) => void {
  const everyMs = isTerminal ? SHOW_EVERY_MS.terminal : SHOW_EVERY_MS.file
  let shownAtMs = 0
  let rowsAtStart: number | null = null

  return (progress) => {
    const { step, table, rows, isDone, elapsedMs } = progress
    // The rows of runs before this one say nothing about its speed.
    rowsAtStart ??= progress.allRows
    const clear = isTerminal ? '\r\x1b[K' : ''
    if (isDone) return write(`${clear}${DONE[step]} ${table}: ${counted(rows)} rows\n`)
    if (elapsedMs - shownAtMs < everyMs) return
    shownAtMs = elapsedMs
    const text = [
      `${DOING[step]} ${table}: ${counted(rows)}${ofAll(progress.rowsMax)} rows`,
      ...pace(progress, rowsAtStart),
    ].join(', ')
    write(`${clear}${text}${isTerminal ? '' : '\n'}`)
  }
}

function pace({ allRows, allRowsMax, elapsedMs }: Progress, rowsAtStart: number): string[] {
  const perMs = (allRows - rowsAtStart) / elapsedMs
  const speed = `${counted(Math.round(perMs * 1000))} rows/s`
  if (allRowsMax === null || allRowsMax === 0) return [speed]
  const percent = `${Math.floor((100 * allRows) / allRowsMax)} % of all`
  if (perMs <= 0) return [speed, percent]
  return [speed, percent, `${counted(Math.ceil((allRowsMax - allRows) / perMs / 1000))} s left`]
}

function ofAll(rowsMax: number | null): string {
  return rowsMax === null ? '' : ` of ${counted(rowsMax)}`
}

/** The last line: how much was moved, and how long that took. */
export function movedText({ rows, elapsedMs }: Moved): string {
  const tables = Object.values(rows)
  const all = tables.reduce((sum, some) => sum + some, 0)
  const seconds = counted(Math.round(elapsedMs / 1000))
  return `Moved ${counted(all)} rows of ${tables.length} tables, each compared, in ${seconds} s.`
}

/** 1,234,567. */
function counted(count: number): string {
  return count.toLocaleString('en-US')
}
