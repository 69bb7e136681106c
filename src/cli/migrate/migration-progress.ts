import type { MigrationResult, TimedProgress } from '../../wiring/migrate-store.ts'
import { numberText } from '../terminal/formats.ts'

type Screen = {
  /** A terminal shows one line that changes; a file gets a line now and then. */
  isTerminal: boolean
  write(text: string): void
}

const SHOW_EVERY_MS = { terminal: 200, file: 5000 }

export function migrationProgress({
  isTerminal,
  write,
}: Screen): (progress: TimedProgress) => void {
  const everyMs = isTerminal ? SHOW_EVERY_MS.terminal : SHOW_EVERY_MS.file
  let shownAtMs = 0

  return ({ table, rows, rowsMax, isDone, allRows, allRowsMax, elapsedMs }) => {
    const clear = isTerminal ? '\r\x1b[K' : ''
    if (isDone) return write(`${clear}copied ${table}: ${numberText(rows)} rows\n`)
    if (elapsedMs - shownAtMs < everyMs) return
    shownAtMs = elapsedMs
    const perMs = allRows / elapsedMs
    const text = [
      `copying ${table}: ${numberText(rows)} of ${numberText(rowsMax)} rows`,
      `${numberText(Math.round(perMs * 1000))} rows/s`,
      `${Math.floor((100 * allRows) / allRowsMax)} % of all`,
      `${numberText(Math.ceil((allRowsMax - allRows) / perMs / 1000))} s left`,
    ].join(', ')
    write(`${clear}${text}${isTerminal ? '' : '\n'}`)
  }
}

export function migratedText({ rows, elapsedMs }: MigrationResult): string {
  const tables = Object.values(rows)
  const all = tables.reduce((sum, some) => sum + some, 0)
  const seconds = numberText(Math.round(elapsedMs / 1000))
  return `Migrated ${numberText(all)} rows of ${tables.length} tables in ${seconds} s.`
}
